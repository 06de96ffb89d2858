import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// Many servers at once that mean a worker's memory. `PUSH_ENRICHER_ATTACKS=64` has as many of each, and holds the worker to 12 MB: with a
/// release build, which `PUSH_ENRICHER_BINARY` names.
@Suite("Attacks on a worker", .timeLimit(.minutes(5)))
struct AttackTests {
  private static let count = unsafe getenv("PUSH_ENRICHER_ATTACKS").flatMap {
    Int(unsafe String(cString: $0))
  }

  @Test("end on their own, in time, within the memory", arguments: Attack.exhausting)
  func attack(_ attack: Attack) async throws {
    try await withWorkplace(.sqlite) { place in
      try await withAttacks([attack], in: place.folder.path) { sites in
        let site = try #require(sites.first)
        let errands = (0..<(Self.count ?? 12)).map {
          Errand($0, naming: site.url, .unmodified(""))
        }
        try await place.publish(errands)
        let work = try await place.sampledWork(
          ["--until-empty"] + site.options
            + (attack.isEndless ? ["--deadline", Self.count == nil ? "1s" : "5s"] : [])
            + (attack.isHTTP2 ? ["--concurrency", "\(Self.http2Concurrency)"] : []))
        #expect(work.termination == .exited(0), "\(work.standardError)")
        let results = try await place.contents("enriched")
        #expect(results.map(\.id).sorted() == errands.map(\.message.id).sorted())
        let bodies = Dictionary(errands.map { ($0.message.id, $0.message.body) }) { first, _ in first }
        #expect(results.allSatisfy { $0.body == bodies[$0.id] })
        let reasons = Set(results.compactMap { $0.header("enrich-reason") })
        #expect(results.allSatisfy { $0.header("enrich-outcome") == "unmodified" })
        // A debug build on a slow machine may come to others: those of each behaviour are `FloodTests`' and `HTTP2Tests`' business.
        #expect(Self.count == nil || reasons.isSubset(of: Self.reasons(of: attack)), "\(reasons)")
        let peak = try #require(work.peakPrivateBytes)
        #expect(peak <= (Self.count == nil ? 16_000_000 : 12_000_000))
        if Self.count != nil { report(attack, work, peak, reasons) }
      }
    }
  }

  /// As many as get HTTP/2 in 12 MB.
  private static let http2Concurrency = 32

  /// All may be late on a machine that is slow, servers that do not answer are not asked by all, and what all long headers of the moment
  /// take together is limited, too. Of those that share a connection of HTTP/2, one finds out, and the others lose it.
  private static func reasons(of attack: Attack) -> Set<String> {
    let shared = ["http-status", "headers-too-large", "connect-failed", "body-truncated"]
    return attack.reasons.union(["deadline-exceeded", "host-unhealthy", "memory-exceeded"])
      .union(attack.isHTTP2 ? shared : [])
  }

  private func report(_ attack: Attack, _ work: Run, _ peak: Int, _ reasons: Set<String>) {
    print("\(peak / 1_000) KB, \(work.duration): \(attack.name): \(reasons.sorted().joined(separator: ", "))")
  }
}
