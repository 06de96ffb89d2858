#if RabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport
  import Testing

  /// All properties of a message have to fit into one frame, and a body comes in several.
  @Suite("RabbitMQ: frames", .timeLimit(.minutes(5)))
  struct FrameTests {
    @Test("a message whose headers do not fit into a frame is rejected alone, and not cut")
    func tooLong() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      func header(_ length: Int) -> Header { Header("h", String(repeating: "v", count: length)) }
      let fitting = Message(id: "n", body: [1], headers: [header(131_036)])
      let detail =
        "its headers and properties take 131053 bytes, and \(server.name) takes 131052: send shorter headers"
      #expect(
        try await queue.client.publish([
          message(1), Message(id: "n", body: [1], headers: [header(131_037)]), fitting, message(2),
        ]) == [.sent, .rejected(Rejection("message-too-large", detail: detail)), .sent, .sent])
      #expect(try await queue.browse(9) == [message(1), fitting, message(2)])
    }

    @Test(
      "if no header of the worker fits beside a long one, the result is rejected, and its dead letter is cut",
      arguments: [true, false])
    func letter(isText: Bool) async throws {
      let server = try await RabbitMQServer.shared
      let (source, target) = (try server.open(server.newURL()), try server.open(server.newURL()))
      try await source.publish([1], headerLength: 130_990, isText: isText)
      let delivery = try await source.next()
      var (result, letter) = (delivery.message, delivery.message)
      result.headers.append(Header(ResultHeader.outcome, "enriched"))
      letter.headers += [Header(ResultHeader.outcome, "rejected"), Header(ResultHeader.reason, "reason")]
      let detail =
        "its headers and properties take 131100 bytes, and \(server.name) takes 131052: send shorter headers"
      // The others are published once.
      #expect(
        try await target.client.publish([message(1), result, message(2)])
          == [.sent, .rejected(Rejection("message-too-large", detail: detail)), .sent])
      #expect(
        try await source.settle(delivery, publishing: [Publication(letter, into: target)]) == .sent)
      let cut = Message(
        id: letter.id, body: [1],
        headers: [
          // The name, the kind and the length of the value count as well.
          Header(Message.truncatedHeadersName, "131000"), Header(ResultHeader.outcome, "rejected"),
          Header(ResultHeader.reason, "reason"),
        ])
      #expect(try await target.browse(9) == [message(1), message(2), cut])
      #expect(try await source.isEmpty)
    }

    @Test("a message whose headers leave no room for an id keeps its place when it goes back")
    func noRoom() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      try await queue.publish([1], headerLength: 131_030, isText: true)
      try await queue.publish([2])
      let delivery = try await queue.next()
      try await queue.requeue(delivery)
      #expect(try await queue.browse(9) == [delivery.message, message(2)])
    }

    @Test("headers that fill a frame are taken, although the broker adds its own", arguments: [true, false])
    func full(isText: Bool) async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      try await server.open(url).publish([1], headerLength: 131_030, isText: isText)
      var messages: [Message] = []
      for attempt in 1...3 {
        // From the second hand-out on, a quorum queue counts them in a header.
        let delivery = try await server.open(url).next()
        #expect(delivery.attempt == attempt)
        messages.append(delivery.message)
      }
      let text = Header("long", String(repeating: "v", count: 131_030))
      #expect(messages.map(\.headers) == Array(repeating: isText ? [text] : [], count: 3))
      #expect(messages.map(\.body) == [[1], [1], [1]])
      #expect(Set(messages.map(\.id)).count == 1)
    }

    @Test("a long body is sent in pieces that the broker reads")
    func pieces() async throws {
      let server = try await RabbitMQServer.shared
      let (queue, other) = (try server.open(server.newURL()), try server.open(server.newURL()))
      for (index, length) in [131_063, 131_064, 131_065, 131_072, 400_000].enumerated() {
        let body = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await queue.publish([Message(id: "m\(index)", body: body), Message(id: "next", body: [2])])
        let deliveries = try await queue.receive(2, waitingUpTo: .zero) ?? []
        #expect(
          deliveries.map(\.message) == [
            Message(id: "m\(index)", body: Array(body.prefix(131_072))), Message(id: "next", body: [2]),
          ])
        for delivery in deliveries {
          try await queue.settle(delivery, publishing: [Publication(delivery.message, into: other)])
        }
      }
      #expect(try await other.browse(20).count == 10)
    }
  }
#endif
