import Glibc
import Misbehaving
import Notifications
import Queueing
import TestSupport
import Testing

/// Pushes with positions, from the real program to a mock of APNs.
@Suite("Work and send with a push queue", .timeLimit(.minutes(5)))
struct PushQueueTests {
  private struct Stage: Sendable {
    let mock: MockAPNs
    let place: Workplace
    let target: String
    let options: [String]
    var pushQueue: String { "sqlite:\(place.folder.path(of: "push-queue.db"))" }

    func publish(_ id: String, _ body: String, _ headers: [String: String] = [:]) async throws {
      let headers = ["device-token": "ab12", "device-id": "D1", "apns-topic": "com.example.app"].merging(
        headers
      ) { $1 }
      try await place.queue("incoming").publish([
        Message(
          id: id, body: Array(body.utf8),
          headers: headers.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map {
            Header($0.key, $0.value)
          })
      ])
    }

    func send() async throws -> Run {
      let queues = [
        "--from", place.url("incoming"), "--to", target, "--dead-letters", place.url("dead-letters"),
      ]
      return try await PushEnricher.run(["send"] + queues + options)
    }

    /// The payloads that APNs has accepted, in any order.
    var bodies: [String] {
      mock.ledger.entries.values.filter { $0.accepted > 0 }.map { String(decoding: $0.body, as: UTF8.self) }
    }
  }

  private static func withStage(_ body: (Stage) async throws -> Void) async throws {
    try await withWorkplace(.sqlite) { place in
      try await withTLS(speaking: .http2) { tls, file in
        var behaviour = APNsBehaviour.healthy
        (behaviour.keepsBodies, behaviour.tokenInterval) = (true, .zero)
        try await withMockAPNs(behaviour, tls: tls) { mock in
          let (key, tickets) = (place.folder.path(of: "AuthKey.p8"), place.folder.path(of: "ticket.key"))
          try mock.key.write(to: key)
          try Files.write(Array(String(repeating: "0b", count: 32).utf8), to: tickets, mode: 0o600)
          let queue = "sqlite:\(place.folder.path(of: "push-queue.db"))"
          try await body(
            Stage(
              mock: mock, place: place, target: mock.target(key: key),
              options: [
                "--until-empty", "--ca-file", file, "--push-queue", queue, "--push-queue-key", tickets,
                "--require-sandbox",
              ]))
        }
      }
    }
  }

  private static let alert = #"{"aps":{"alert":"Hi", "mutable-content":1} }"#

  @Test("alerts with mutable-content and a device-id are numbered, and nothing else of them changes")
  func numbers() async throws {
    try await Self.withStage { stage in
      for id in ["first", "second"] { try await stage.publish(id, Self.alert) }
      try await stage.publish("other", Self.alert, ["device-id": "D2", "device-token": "ab34"])
      let plain = [
        #"{"aps":{"alert":"no content"}}"#, #"{"aps":{"content-available":1}}"#,
        #"{"aps":{"alert":"its own","mutable-content":1},"q":1}"#,
      ]
      for (number, body) in plain.enumerated() { try await stage.publish("plain-\(number)", body) }
      try await stage.publish("no-device", Self.alert, ["device-id": ""])
      let run = try await stage.send()
      #expect(run.exitStatus == 0, "\(run.standardError)")
      let bodies = stage.bodies
      for body in plain + [Self.alert] { #expect(bodies.contains(body), "\(bodies)") }
      let marked = bodies.filter { $0.contains(#","q":{"p":"#) }
      #expect(marked.count == 3)
      for body in marked {
        #expect(body.hasPrefix(#"{"aps":{"alert":"Hi", "mutable-content":1} ,"q":{"p":"#), "\(body)")
      }
      #expect(marked.map { $0.contains(#""p":1,"#) }.filter { $0 }.count == 2)
      #expect(run.standardError.contains("its payload already has a member q"))
      // The same message again gets the same position.
      try await stage.publish("second", Self.alert)
      #expect(try await stage.send().exitStatus == 0)
      #expect(stage.bodies.sorted() == bodies.sorted())
      try await stage.publish("third", Self.alert)
      #expect(try await stage.send().exitStatus == 0)
      #expect(stage.bodies.contains { $0.contains(#""p":3,"#) })
      let deliveries = try await PushEnricher.run(["deliveries", "--push-queue", stage.pushQueue])
      #expect(deliveries.output.contains("com.example.app         4     4         4"), "\(deliveries.output)")
    }
  }

  @Test("what does not fit beside the mark goes out without one, and says so") func size() async throws {
    try await Self.withStage { stage in
      func payload(_ size: Int) -> String {
        let frame = #"{"aps":{"alert":"","mutable-content":1}}"#
        return frame.replacing(
          #""alert":"""#, with: #""alert":"\#(String(repeating: "x", count: size - frame.utf8.count))""#)
      }
      try await stage.publish("fits", payload(4_006))
      try await stage.publish("too-long", payload(4_007))
      let run = try await stage.send()
      #expect(run.exitStatus == 0, "\(run.standardError)")
      #expect(stage.bodies.map { $0.contains(#","q":"#) }.sorted { !$0 && $1 } == [false, true])
      #expect(
        run.standardError.contains("its payload has 4007 bytes, which leaves 89 for the mark"),
        "\(run.standardError)")
    }
  }

  @Test("work leaves the room of the mark when it adds attachments") func room() async throws {
    try await Self.withStage { stage in
      // The attachment takes about 330 bytes, so in the second message it fits only without the mark.
      let url = stage.place.server.url(.serve(.file("photo.jpg", "image/jpeg")))
      let frame = #"{"aps":{"alert":"","mutable-content":1},"media":{"url":"\#(url)"}}"#
      for (id, size) in [("fits", 3_500), ("not", 3_760)] {
        let text = String(repeating: "x", count: size - frame.utf8.count)
        try await stage.publish(id, frame.replacing(#""alert":"""#, with: #""alert":"\#(text)""#))
      }
      let run = try await stage.place.work(stage.options, to: stage.target)
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let bodies = stage.bodies.sorted { $0.utf8.count < $1.utf8.count }
      #expect(bodies.map { $0.contains(#""attachments""#) }.count { $0 } == 1, "\(bodies)")
      #expect(bodies.allSatisfy { $0.contains(#","q":{"p":"#) && $0.utf8.count <= 4_096 })
      #expect(
        run.standardError.contains("that are left after the push queue adds its mark"), "\(run.standardError)"
      )
    }
  }

  @Test("without its push queue, nothing is sent and nothing is lost") func away() async throws {
    try await Self.withStage { stage in
      try await stage.publish("waits", Self.alert)
      let queue = stage.place.folder.path(of: "push-queue.db")
      #expect(unsafe mkdir(queue, 0o700) == 0)
      let run = try await stage.send()
      #expect(run.exitStatus == 69, "\(run.standardError)")
      #expect(stage.mock.ledger.entries.isEmpty)
      #expect(try await stage.place.contents("incoming").count == 1)
    }
  }

  @Test(
    "options that do not fit together say what to do",
    arguments: [
      (["--push-queue", "sqlite:p.db"], "give --push-queue-key as well: openssl rand -hex 32"),
      (["--push-queue", "x:y"], "is not a queue"),
      (["--device-api", "127.0.0.1:0"], "give --push-queue as well"),
      (["--push-queue-keep", "7"], "--push-queue-keep: give --push-queue as well"),
      (["--push-queue-size", "2MB"], "--push-queue-size: give --push-queue as well"),
    ])
  func options(_ more: [String], says: String) async throws {
    let target = "apns://127.0.0.1:1?key=k&key-id=ABC123DEFG&team-id=DEF123GHIJ"
    for command in ["work", "send"] {
      let run = try await PushEnricher.run([command, "--from", "sqlite:q.db?queue=a", "--to", target] + more)
      #expect(run.exitStatus == 64)
      #expect(run.standardError.contains(says), "\(run.standardError)")
    }
  }

  @Test("a worker that sends nothing does not answer devices, and says so") func answering() async throws {
    try await withTemporaryDirectory { folder in
      let queues = ["--from", "-", "--to", "-", "--dead-letters", "-", "--store", folder.path]
      let endpoint = "127.0.0.1:\(freePort())"
      let run = try await PushEnricher.run(
        ["work", "--push-queue", "sqlite:\(folder.path)/p.db", "--device-api", endpoint] + queues)
      #expect(run.exitStatus == 64)
      #expect(
        run.standardError.hasPrefix(
          "push-enricher: --device-api: devices are answered only where pushes are sent"),
        "\(run.standardError)")
      // A worker and a `send` may share their environment.
      let shared = [
        "PUSH_ENRICHER_PUSH_QUEUE": "sqlite:\(folder.path)/p.db", "PUSH_ENRICHER_DEVICE_API": endpoint,
      ]
      let other = try await PushEnricher.run(["work"] + queues, environment: shared)
      #expect(other.exitStatus == 0, "\(other.standardError)")
    }
  }
}
