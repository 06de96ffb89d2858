import Glibc

/// How many pushes go through each fault of the mock of APNs. `Tests/Benchmarks/apns-ledger` sets a number
/// that would take too long in a run of all tests.
package enum LedgerSize {
  package static let isFull = unsafe getenv("PUSH_ENRICHER_LEDGER") != nil
  package static let pushes = isFull ? 10_000 : 2_000
  package static let kills = isFull ? 20 : 5

  /// Prints figures of the full run.
  package static func tell(_ text: String) { if isFull { print("ledger: \(text)") } }
}
