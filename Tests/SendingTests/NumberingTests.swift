import Misbehaving
import PushQueueing
import Queueing
import Supporting
import TestSupport
import Testing

@testable import Sending

/// Pushes that have positions: what APNs answers, and what the push queue learns of it.
@Suite("Numbered pushes to APNs")
struct NumberingTests {
  private static let phone = AppDevice(app: "com.example.app", device: "phone")

  /// Runs `body` with a sink that numbers its pushes, and a server that answers with the frames of `content`.
  private static func withNumbering(
    _ content: @escaping HTTP2Behaviour.Content,
    _ body: (APNsSink, PushNumbering) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let key = Array(String(repeating: "0b", count: 32).utf8)
      let keys = try TicketKeys(path: try folder.write(key, to: "ticket.key", mode: 0o600))
      let store = try SQLiteDeviceStore(path: folder.path(of: "push-queue.db"))
      let numbering = PushNumbering(with: SQLitePushQueue(store, PushQueueLimits()), keys: keys)
      try await withFrames(content) { sink, _ in
        sink.number(with: numbering)
        try await body(sink, numbering)
      }
    }
  }

  /// The position that a message has, or gets now.
  private static func position(of message: String, in queue: any PushQueue) async throws -> QueuePosition {
    let now = WallClock.milliseconds
    let offer = OfferedPush(
      device: phone, token: device, message: message, expires: now + 3_600_000, collapseID: nil,
      body: Array(#"{"aps":{}}"#.utf8), headers: [])
    let positions = try await queue.assign([offer], at: now)
    return try #require(positions.first)
  }

  /// Sends the messages a and b, and takes a, which the device has missed, to send it again.
  private static func missed(
    _ sink: APNsSink, _ numbering: PushNumbering, at now: Int64
  ) async throws -> [KeptPush] {
    let results = try await sink.send([.numbered("a"), .numbered("b")])
    #expect(results == [.sent, .sent])
    let first = try await position(of: "a", in: numbering.queue)
    let question = MissedQuestion(device: phone, epoch: first.epoch, last: 2, count: 1, seen: 1)
    _ = try await numbering.queue.ask(question, at: now)
    let kept = try await numbering.queue.takeAsked(10, at: now)
    #expect(kept.map(\.position) == [first])
    return kept
  }

  @Test(
    "only a push whose alert has a text gets a position",
    arguments: [
      (#"{"title":"Hi"}"#, .free), (#"{"loc-key":"HI"}"#, .free), (#"{"body":"","launch-image":"a"}"#, .none),
      ("\"Hi\"", .free), ("\"\"", .none), ("{}", .none), ("null", .none), ("7", .none),
    ] as [(String, MarkRoom)])
  func alerts(_ alert: String, room: MarkRoom) throws {
    let body = Array(#"{"aps":{"alert":\#(alert),"mutable-content":1}}"#.utf8)
    let message = Message(body: body, headers: Message.push("a").headers)
    #expect(try PushRequest(message, topic: nil, now: 0, isNumbered: true).markRoom == room)
  }

  @Test("a token that is dead by the time a push is sent again is reported") func deadToken() async throws {
    let calls = Calls()
    try await Self.withNumbering({ stream, _ in
      calls.next() <= 2 ? answer(stream, 200) : answer(stream, 410, "Unregistered")
    }) { sink, numbering in
      let records = MemoryQueue("numbering", "dead-tokens")
      sink.report(deadTokensTo: records)
      let now = WallClock.milliseconds
      let kept = try await Self.missed(sink, numbering, at: now)
      // As long as the token cannot be reported, the push stays to be sent.
      MemoryQueue.setAway("numbering", true)
      await #expect(throws: QueueError.self) { try await sink.sendAgain(kept, with: numbering) }
      MemoryQueue.setAway("numbering", false)
      let again = try await numbering.queue.takeAsked(10, at: now + 300_000)
      #expect(again.map(\.position) == kept.map(\.position))
      try await sink.sendAgain(again, with: numbering)
      let bodies = try await records.browse(9).map { String(decoding: $0.body, as: UTF8.self) }
      #expect(
        bodies
          == [#"{"token":"\#(device)","topic":"com.example.app","timestamp":null,"reason":"Unregistered"}"#])
      let next = try await Self.position(of: "c", in: numbering.queue)
      #expect(next.position == 1)
      #expect(kept.allSatisfy { next.epoch > $0.position.epoch })
    }
  }

  @Test("a push whose answer got lost counts as sent again, and one that was not sent does not")
  func uncertain() async throws {
    let calls = Calls()
    try await Self.withNumbering({ stream, _ in
      calls.next() <= 2 ? answer(stream, 200) : HTTP2Behaviour.reset(stream, 8)
    }) { sink, numbering in
      let now = WallClock.milliseconds
      let kept = try await Self.missed(sink, numbering, at: now)
      #expect(kept.map(\.resent) == [1])
      try await sink.sendAgain(kept, with: numbering)
      // It was sent four times.
      #expect(calls.next() == 7)
      #expect(sink.counts.uncertain == 4)
      let second = try await numbering.queue.takeAsked(10, at: now + 300_000)
      #expect(second.map(\.resent) == [2])
      sink.stop()
      try await sink.sendAgain(second, with: numbering)
      #expect(calls.next() == 8)
      let third = try await numbering.queue.takeAsked(10, at: now + 600_000)
      #expect(third.map(\.resent) == [2])
    }
  }

  @Test("a push that expires while it is put aside has an outcome, and so has one that comes too late")
  func expired() async throws {
    let calls = Calls()
    try await Self.withNumbering({ stream, _ in
      calls.next() == 1 ? answer(stream, 429, "TooManyRequests") : answer(stream, 200)
    }) { sink, numbering in
      guard case .unavailable? = try await sink.send([.numbered("a")]).first else {
        Issue.record("it was not put aside")
        return
      }
      try await Task.sleep(for: .milliseconds(1_100))
      let past = WallClock.milliseconds / 1_000 - 60
      let results = try await sink.send([
        .numbered("a", expires: past), .numbered("b", expires: past), .numbered("c"),
      ])
      #expect(results.count == 3 && results.last == .sent)
      for result in results.dropLast() {
        guard case .rejected(let rejection) = result else { Issue.record("\(result)"); continue }
        #expect(rejection.reason == PushRequest.expiredReason)
      }
      #expect(calls.next() == 3)
      let epoch = try await Self.position(of: "c", in: numbering.queue).epoch
      let question = MissedQuestion(device: Self.phone, epoch: epoch, last: 3, count: 2, seen: 1)
      let answer = try await numbering.queue.ask(question, at: WallClock.milliseconds)
      #expect(
        answer == .resending(0, rejected: 0, expired: 2, superseded: 0, holes: Holes(gone: 0b110)))
    }
  }
}

extension Message {
  fileprivate static func numbered(_ id: String, expires: Int64? = nil) -> Message {
    let expiration = expires.map { [Header("apns-expiration", "\($0)")] } ?? []
    return Message(
      id: id, body: Array(#"{"aps":{"alert":"Hello","mutable-content":1}}"#.utf8),
      headers: push(id).headers + [Header("device-id", "phone")] + expiration)
  }
}
