/// The result of enriching a payload. Both cases carry the bytes to publish.
package enum Outcome: Sendable, Equatable {
  case enriched([UInt8])
  /// The original bytes.
  case unmodified([UInt8], Failure)

  package var bytes: [UInt8] {
    switch self {
    case .enriched(let bytes), .unmodified(let bytes, _): bytes
    }
  }

  package var name: String { failure == nil ? "enriched" : "unmodified" }
  package var failure: Failure? { if case .unmodified(_, let failure) = self { failure } else { nil } }
}

package struct Enrichment: Sendable {
  package let outcome: Outcome
  package let report: Report
}
