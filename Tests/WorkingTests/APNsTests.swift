import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// Messages go from a queue to devices, with the real program in its sandbox.
@Suite("Work that sends to APNs", .timeLimit(.minutes(5)))
struct APNsTests {
  private static func message(_ id: String, to device: String) -> Message {
    Message(
      id: id, body: Array(#"{"aps":{"alert":"Hi","mutable-content":1}}"#.utf8),
      headers: [
        Header("device-token", device), Header("apns-topic", "com.example.app"),
        Header("apns-push-type", "alert"),
      ])
  }

  /// Runs `body` with a mock of APNs, the target's URL, and the options for its certificate.
  private static func withTarget(
    _ behaviour: APNsBehaviour,
    _ body: (MockAPNs, Workplace, _ url: String, _ options: [String]) async throws -> Void
  ) async throws {
    try await withWorkplace(.sqlite) { place in
      try await withTLS(speaking: .http2) { tls, file in
        try await withMockAPNs(behaviour, tls: tls) { mock in
          let key = place.folder.path(of: "AuthKey.p8")
          try mock.key.write(to: key)
          try await body(mock, place, mock.target(key: key), ["--until-empty", "--ca-file", file])
        }
      }
    }
  }

  @Test("each message becomes a push, and what APNs refuses a dead letter") func pushes() async throws {
    try await Self.withTarget(.healthy) { mock, place, url, options in
      let good = (0..<200).map { Self.message("good-\($0)", to: "ab\(1_000 + $0)") }
      let bad = [
        Self.message("dead", to: APNsReason.Unregistered.deviceToken),
        Self.message("wrong", to: APNsReason.BadDeviceToken.deviceToken), Self.message("no-token", to: "?"),
      ]
      try await place.queue("incoming").publish(good + bad)
      let run = try await place.work(options + ["--require-sandbox"], to: url)
      #expect(run.termination == .exited(0), "\(run.standardError)")
      #expect(mock.ledger.accepted == 200)
      #expect(try await place.isEmpty("incoming"))
      let letters = try await place.contents("dead-letters")
      #expect(letters.map(\.id).sorted() == ["dead", "no-token", "wrong"])
      let dead = letters.first { $0.id == "dead" }
      #expect(dead?.header("enrich-reason") == "token-dead")
      #expect(dead?.header("apns-status") == "410")
      #expect(dead?.header("apns-reason") == "Unregistered")
    }
  }

  @Test(
    "faults of the connection lose nothing",
    arguments: APNsBehaviour.faulty.filter {
      ["goaway", "goaway-unanswered", "reset", "close"].contains($0.name)
    })
  func faults(_ behaviour: APNsBehaviour) async throws {
    try await Self.withTarget(behaviour) { mock, place, url, options in
      try await place.queue("incoming").publish(
        (0..<500).map { Self.message("m\($0)", to: "ab\(1_000 + $0)") })
      let run = try await place.work(options, to: url)
      #expect(run.termination == .exited(0), "\(run.standardError)")
      #expect(mock.ledger.entries.count == 500)
      #expect(mock.ledger.entries.values.allSatisfy { $0.accepted >= 1 })
      #expect(try await place.isEmpty("incoming"))
      #expect(try await place.isEmpty("dead-letters"))
    }
  }

  @Test("a key that cannot be read is reported at the start") func wrongKey() async throws {
    try await withWorkplace(.sqlite) { place in
      let file = place.folder.path(of: "missing.p8")
      let run = try await place.work(
        ["--until-empty"], to: "apns://127.0.0.1:1?key=\(file)&key-id=ABC123DEFG&team-id=DEF123GHIJ")
      #expect(run.termination == .exited(69))
      #expect(run.standardError.contains(file), "\(run.standardError)")
    }
  }

  @Test("a revoked key stops the worker, and the messages stay in their queue") func revokedKey() async throws
  {
    try await Self.withTarget(.always(.InvalidProviderToken)) { mock, place, url, options in
      try await place.queue("incoming").publish((0..<5).map { Self.message("m\($0)", to: "ab\(1_000 + $0)") })
      let stop = Array(options.dropFirst())
      let run = try await place.work(stop + ["--to", url]) { worker in
        #expect(await eventually { worker.log.contains("InvalidProviderToken") })
        kill(worker.process, SIGTERM)
      }
      #expect(run.standardError.contains("check key-id and team-id"), "\(run.standardError)")
      #expect(mock.ledger.accepted == 0)
      #expect(try await place.contents("incoming").count == 5)
    }
  }
}
