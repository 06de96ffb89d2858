import Misbehaving
import Queueing
import TestSupport
import Testing

/// A worker whose payloads name a host that answers slowly.
@Suite("Slow hosts", .timeLimit(.minutes(5)))
struct SlowHostTests {
  private static func slow(_ place: Workplace) -> String {
    place.server.url(.late(by: .seconds(2), .serve(.file("photo.jpg", "image/jpeg"))))
  }

  /// Far more payloads than can start or wait: with eight downloads, a new host gets one of them.
  @Test("no payload of a host that is slow to answer goes out unmodified", arguments: BrokerKind.products)
  func enriched(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let errands = (0..<40).map { Errand($0, naming: Self.slow(place), .enriched("public.jpeg")) }
      try await place.publish(errands)
      let run = try await place.work(["--until-empty", "--concurrency", "8", "--deadline", "12s"])
      #expect(run.termination == .exited(0), "\(run.standardError)")
      expectEach(of: errands, once: try await place.contents("enriched"))
      #expect(try await place.isEmpty("incoming"))
    }
  }

  @Test("no payload that is redirected to a slow host, or names two of its media, goes out unmodified")
  func others() async throws {
    try await withWorkplace(.sqlite) { place in
      try await withHostileServer { redirecting in
        let (url, slow) = (redirecting.url(.redirect(to: Self.slow(place))), Self.slow(place))
        let several =
          #"{"aps":{"alert":"a","mutable-content":1},"fcm_options":{"image":"\#(slow)"},"media":{"url":"\#(slow)"}}"#
        let errands = (0..<40).map { number in
          number % 4 == 0
            ? Errand(number, several, .enriched("public.jpeg"))
            : Errand(number, naming: url, .enriched("public.jpeg"))
        }
        try await place.publish(errands)
        let run = try await place.work(
          [
            "--until-empty", "--require-all", "--concurrency", "8", "--deadline", "20s", "--allow-port",
            "\(redirecting.port)",
          ])
        #expect(run.termination == .exited(0), "\(run.standardError)")
        expectEach(of: errands, once: try await place.contents("enriched"))
      }
    }
  }

  @Test("no more lines are read ahead than can wait, and they come out enriched, in order") func lines()
    async throws
  {
    try await withWorkplace(.sqlite) { place in
      let errands = (0..<40).map { Errand($0, naming: Self.slow(place), .enriched("public.jpeg")) }
      let input = errands.flatMap { $0.message.body + Array("\n".utf8) }
      let run = try await place.work(["--from", "-", "--to", "-", "--concurrency", "8"], input: input)
      #expect(run.termination == .exited(0), "\(run.standardError)")
      #expect(run.standardOutput.split(separator: UInt8(ascii: "\n")).count == 40)
      #expect(!run.standardError.contains("unmodified"))
    }
  }
}
