import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// Many servers at once that attack a worker's memory. `PUSH_ENRICHER_ATTACKS=64` runs that many of
/// each and holds the worker to 12 MB. Name a release build with `PUSH_ENRICHER_BINARY` for that.
@Suite("Attacks on a worker", .timeLimit(.minutes(5)))
struct AttackTests {
  private static let count = unsafe getenv("PUSH_ENRICHER_ATTACKS").flatMap {
    Int(unsafe String(cString: $0))
  }

  @Test("attacks on a worker end on their own, in time and within the memory", arguments: Attack.exhausting)
  func attack(_ attack: Attack) async throws {
    try await withWorkplace(.sqlite) { place in
      // A host that has never answered gets only a few requests at once.
      try await withAttacks([attack], in: place.folder.path, afterOneAnswer: true) { sites in
        let site = try #require(sites.first)
        try await hold(
          Array(repeating: site.url, count: Self.count ?? 12), at: place, to: Self.reasons(of: attack),
          attack.name,
          site.options + (attack.isEndless ? Self.shortDeadline : [])
            + (attack.isHTTP2 ? ["--concurrency", "\(Self.http2Concurrency)"] : []))
      }
    }
  }

  @Test(
    "silent hosts, each asked for the first time, do not fill the memory"
  )
  func silentHosts() async throws {
    try await withHostileServer(on: "0.0.0.0") { server in
      let urls = (0..<(Self.count == nil ? 48 : 1_000)).map {
        server.url(.silent, host: "127.0.\($0 / 250 + 1).\($0 % 250 + 1)")
      }
      try await withWorkplace(.sqlite) { place in
        try await hold(
          urls, at: place, to: ["deadline-exceeded", "host-unhealthy"],
          "\(urls.count) hosts that say nothing",
          ["--allow-port", "\(server.port)"] + Self.shortDeadline)
      }
    }
  }

  /// Lets a worker take a payload for each URL, and expects all of them to come back byte for byte.
  private func hold(
    _ urls: [String], at place: Workplace, to reasons: Set<String>, _ name: String, _ options: [String]
  ) async throws {
    let errands = urls.enumerated().map { Errand($0, naming: $1, .unmodified("")) }
    try await place.publish(errands)
    let work = try await place.sampledWork(["--until-empty"] + options)
    #expect(work.termination == .exited(0), "\(work.standardError)")
    let results = try await place.contents("enriched")
    #expect(results.map(\.id).sorted() == errands.map(\.message.id).sorted())
    let bodies = Dictionary(errands.map { ($0.message.id, $0.message.body) }) { first, _ in first }
    #expect(results.allSatisfy { $0.body == bodies[$0.id] })
    let actual = Set(results.compactMap { $0.header("enrich-reason") })
    #expect(results.allSatisfy { $0.header("enrich-outcome") == "unmodified" })
    // A debug build on a slow machine may end with other reasons. `FloodTests` and `HTTP2Tests`
    // check the reasons of each behavior.
    #expect(Self.count == nil || actual.isSubset(of: reasons), "\(actual)")
    let peak = try #require(work.peakPrivateBytes)
    #expect(peak <= (Self.count == nil ? 16_000_000 : 12_000_000))
    if Self.count != nil {
      print("\(peak / 1_000) KB, \(work.duration): \(name): \(actual.sorted().joined(separator: ", "))")
    }
  }

  private static let shortDeadline = ["--deadline", count == nil ? "1s" : "5s"]

  /// The concurrency up to which HTTP/2 is offered within 12 MB.
  private static let http2Concurrency = 32

  /// On a slow machine every transfer may be late. Servers that do not answer get few requests, the
  /// first answer is 404, and the long headers of all transfers together are limited, too. Of the
  /// transfers that share a connection of HTTP/2, one gets the error and the others lose it.
  private static func reasons(of attack: Attack) -> Set<String> {
    let shared = ["headers-too-large", "connect-failed", "body-truncated"]
    return attack.reasons.union(["deadline-exceeded", "host-unhealthy", "memory-exceeded", "http-status"])
      .union(attack.isHTTP2 ? shared : [])
  }
}
