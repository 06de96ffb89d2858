import HTTPQueueing
import Queueing
import Synchronization
import TestSupport
import Testing

/// A door without a worker. The tests receive the requests and settle them.
@Suite("A door", .timeLimit(.minutes(5)))
struct DoorTests {
  private static let body = #"{"aps":{"alert":"Hello"}}"#

  @Test("hands out a request with its headers for APNs, and answers with the result") func result()
    async throws
  {
    try await withDoor { door, port in
      async let answer = post(
        port, Self.body, "-H", "APNS-Topic: com.example", "-H", "X-Id: 1", "-H", "x-id: 2", "-H",
        "Device-Token: 00", "-H", "Cookie: a=b",
        // A proxy in front of the door would obey it in the answer.
        "-H", "X-Accel-Redirect: /internal")
      let delivery = try #require(try await take(1, from: door).first)
      #expect(delivery.message.body == Array(Self.body.utf8))
      #expect(
        delivery.message.headers == [
          Header("apns-topic", "com.example"), Header("x-id", "1"), Header("x-id", "2"),
          Header("device-token", "00"),
        ])
      #expect(try await door.backlog?.onLease == 1)
      var result = delivery.message
      result.body = Array("[]".utf8)
      result.headers.append(Header("enrich-outcome", "enriched"))
      #expect(try await door.settle(delivery, publishing: [Publication(result, into: door)]) == .sent)
      let text = try await answer
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(
        text.contains(
          "\r\napns-topic: com.example\r\nx-id: 1\r\nx-id: 2\r\ndevice-token: 00\r\nenrich-outcome: enriched\r\n"
        ))
      #expect(text.hasSuffix("\r\n\r\n[]"))
      #expect(try await door.backlog == Backlog(waiting: 0, onLease: 0))
      await #expect(throws: QueueError.leaseLost(id: delivery.message.id)) {
        try await door.settle(delivery, publishing: [Publication(result, into: door)])
      }
    }
  }

  @Test("answers 202 once the result is in another queue, and not before") func elsewhere() async throws {
    try await withDoor { door, port in
      let target = MemoryTarget()
      async let answer = post(port, Self.body)
      let delivery = try #require(try await take(1, from: door).first)
      let publication = Publication(delivery.message, into: target)
      await #expect(throws: QueueError.unavailable("away")) {
        try await door.settle(delivery, publishing: [publication])
      }
      #expect(try await door.backlog?.onLease == 1)
      target.answer.withLock { $0 = .unavailable("full", after: nil) }
      #expect(try await door.settle(delivery, publishing: [publication]) == .unavailable("full", after: nil))
      target.answer.withLock { $0 = .sent }
      #expect(try await door.settle(delivery, publishing: [publication]) == .sent)
      let text = try await answer
      #expect(text.hasPrefix("HTTP/1.1 202 Accepted\r\n"), "\(text)")
      #expect(text.hasSuffix("\r\n\r\n"))
    }
  }

  @Test("turns away whoever comes when all places are taken, and lets them in again later")
  func places() async throws {
    try await withDoor({ $0.places = 2 }) { door, port in
      async let one = post(port, Self.body)
      async let other = post(port, Self.body)
      let deliveries = try await take(2, from: door)
      let refused = try await post(port, Self.body)
      #expect(refused.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
      #expect(refused.contains("\r\nRetry-After: 1\r\n"))
      try await door.release([deliveries[0]])
      async let third = post(port, Self.body)
      let more = try await take(1, from: door)
      for delivery in [deliveries[1]] + more {
        try await door.settle(delivery, publishing: [Publication(delivery.message, into: door)])
      }
      let answers = try await [one, other, third].map { $0.prefix(12) }.sorted()
      #expect(answers == ["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 503"])
    }
  }

  @Test("keeps no more bytes of bodies than it has room for") func room() async throws {
    try await withDoor({ $0.bodyBytes = 1_000 }) { door, port in
      let long = #"{"a":"\#(String(repeating: "a", count: 900))"}"#
      async let one = post(port, long)
      let delivery = try #require(try await take(1, from: door).first)
      #expect(try await post(port, long).hasPrefix("HTTP/1.1 503 "))
      async let short = post(port, "{}")
      let other = try #require(try await take(1, from: door).first)
      for delivery in [delivery, other] {
        try await door.settle(delivery, publishing: [Publication(delivery.message, into: door)])
      }
      #expect(try await [one, short].allSatisfy { $0.hasPrefix("HTTP/1.1 200 ") })
      async let again = post(port, long)
      try await door.release(take(1, from: door))
      #expect(try await again.hasPrefix("HTTP/1.1 503 "))
    }
  }

  @Test("withdraws what a client no longer waits for, taken or not") func withdrawal() async throws {
    let statuses = Mutex<[Int]>([])
    try await withDoor({ $0.answered = { status in statuses.withLock { $0.append(status) } } }) {
      door, port in
      let gone = Task { try await post(port, Self.body) }
      let delivery = try #require(try await take(1, from: door).first)
      let ended = Counter()
      delivery.withdrawal?.arm { ended.add() }
      // Kills curl.
      gone.cancel()
      #expect(await eventually { ended.count == 1 })
      #expect(delivery.withdrawal?.disarm() == true)
      #expect(try await door.backlog == Backlog(waiting: 0, onLease: 0))
      let other = Task { try await post(port, Self.body) }
      #expect(try await eventually { try await door.backlog?.waiting == 1 })
      other.cancel()
      #expect(try await eventually { try await door.backlog == Backlog(waiting: 0, onLease: 0) })
      #expect(await eventually { statuses.withLock { $0 } == [499, 499] })
    }
  }

  @Test("work that is already published is not ended, even if it was faster than its action")
  func lateAction() {
    let withdrawal = Withdrawal()
    #expect(!withdrawal.disarm())
    let ended = Counter()
    withdrawal.arm { ended.add() }
    withdrawal.begin()
    withdrawal.arm { ended.add() }
    #expect(ended.count == 0)
    #expect(withdrawal.disarm())
  }

  @Test("answers 503 when the result is not safe in time") func patience() async throws {
    try await withDoor({ $0.patience = .seconds(5) }) { door, port in
      async let answer = post(port, Self.body)
      let delivery = try #require(try await take(1, from: door).first)
      #expect(try await answer.hasPrefix("HTTP/1.1 503 "))
      #expect(delivery.withdrawal?.disarm() == true)
    }
  }

  @Test("that is closed hands out what it has let in, and answers 503 to others") func drain() async throws {
    try await withDoor { door, port in
      async let first = post(port, Self.body)
      #expect(try await eventually { try await door.backlog?.waiting == 1 })
      await door.stopReceiving()
      let refused = try await post(port, Self.body)
      #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("\r\nRetry-After: 1\r\n"))
      let rest = try await door.receiveRest(10, waits: true)
      #expect(rest?.count == 1)
      #expect(try await door.receiveRest(10, waits: true) == nil)
      let delivery = try #require(rest?.first)
      try await door.settle(delivery, publishing: [Publication(delivery.message, into: door)])
      // The answer has to be written before the process ends.
      await door.finish()
      #expect(try await first.hasPrefix("HTTP/1.1 200 "))
      #expect(try await post(port, Self.body) == "")
    }
  }

  @Test(
    "refuses a request by its head", arguments: [("", 401), ("Bearer wrong", 401), ("Bearer s3cret", 200)])
  func token(field: String, status: Int) async throws {
    try await withDoor({ $0.token = "s3cret" }) { door, port in
      async let answer = post(port, Self.body, "-H", "Authorization: \(field)", "-H", "Expect: 100-continue")
      if status == 200 {
        let delivery = try #require(try await take(1, from: door).first)
        try await door.settle(delivery, publishing: [Publication(delivery.message, into: door)])
      }
      let text = try await answer
      #expect(text.hasPrefix(status == 200 ? "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 " : "HTTP/1.1 401 "))
    }
  }

  @Test(
    "lets in nothing but objects, and arrays of messages, of 64 KB at most",
    arguments: [
      ("", 400), ("nope", 400), ("[1]", 400), ("null", 400), (#"{"a":1"#, 400),
      (String(repeating: "[", count: 600), 400),
      ("{\"a\":\"\(String(repeating: "a", count: 65_529))\"}", 413),
    ])
  func bodies(body: String, status: Int) async throws {
    try await withDoor { door, port in
      for options in [[], ["-H", "Transfer-Encoding: chunked"]] {
        let text = try await Command("curl").run(Self.curl(port) + options, input: Array(body.utf8)).output
        #expect(
          text.replacing("HTTP/1.1 100 Continue\r\n\r\n", with: "").hasPrefix("HTTP/1.1 \(status) "),
          "\(text)")
      }
      #expect(try await door.backlog == Backlog(waiting: 0, onLease: 0))
    }
  }

  @Test("is closed to pages in browsers, unless they have the token") func pages() async throws {
    try await withDoor { _, port in
      let text = try await post(port, Self.body, "-H", "Origin: http://evil.example")
      #expect(text.hasPrefix("HTTP/1.1 403 "))
    }
  }

  @Test("waits for a port that another program has") func taken() async throws {
    try await withDoor { _, port in
      var settings = DoorSettings()
      settings.patience = .seconds(60)
      let other = try queueURL("http://127.0.0.1:\(port)")
        .open(in: Queues(door: settings), for: .taking, createsFile: true)
      await #expect(
        throws: QueueError.unavailable(
          "127.0.0.1:\(port) is taken by another program: stop it, or use another port")
      ) { _ = try await other.receive(1, waitingUpTo: .zero) }
    }
  }

  private static func curl(_ port: Int) -> [String] {
    ["-q", "-sSi", "--noproxy", "*", "--data-binary", "@-", "http://127.0.0.1:\(port)/v1/enrich"]
  }

  private func post(_ port: Int, _ body: String, _ options: String...) async throws -> String {
    try await Command("curl").run(Self.curl(port) + options, input: Array(body.utf8)).output
  }

  private func take(_ count: Int, from door: Door) async throws -> [Delivery] {
    var deliveries: [Delivery] = []
    while deliveries.count < count {
      deliveries += try await door.receive(count - deliveries.count, waitingUpTo: .seconds(60)) ?? []
    }
    return deliveries
  }
}

/// Runs `body` with an open door at a free port.
private func withDoor(
  _ change: (inout DoorSettings) -> Void = { _ in }, _ body: (Door, Int) async throws -> Void
) async throws {
  let address = Mutex("")
  var settings = DoorSettings()
  change(&settings)
  settings.opened = { text in address.withLock { $0 = text } }
  let queue = try queueURL("http://127.0.0.1:0").open(
    in: Queues(door: settings), for: .taking, createsFile: true)
  let door = try #require(queue as? Door)
  _ = try await door.receive(1, waitingUpTo: .zero)
  let port = try #require(address.withLock { $0.split(separator: ":").last.flatMap { Int($0) } })
  do { try await body(door, port) } catch {
    await door.finish()
    throw error
  }
  await door.finish()
}

/// A queue elsewhere, which is unavailable at first.
private final class MemoryTarget: Sink {
  let answer = Mutex<SendResult?>(nil)

  func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    guard let answer = answer.withLock({ $0 }) else { throw .unavailable("away") }
    return messages.map { _ in answer }
  }
}
