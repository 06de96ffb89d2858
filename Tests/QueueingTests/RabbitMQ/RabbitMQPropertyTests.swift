#if RabbitMQ
  import CRabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport
  import Testing

  /// Properties that other programs add to a payload pass through a worker unchanged.
  @Suite("RabbitMQ: properties", .timeLimit(.minutes(5)))
  struct RabbitMQPropertyTests {
    /// Content type, correlation id, priority and expiration, and headers that are not only text.
    private static func foreign(_ pool: borrowing AMQPPool) -> amqp_basic_properties_t {
      var properties = unsafe amqp_basic_properties_t()
      unsafe properties._flags =
        amqp_flags_t(AMQP_BASIC_CONTENT_TYPE_FLAG) | amqp_flags_t(AMQP_BASIC_CORRELATION_ID_FLAG)
        | amqp_flags_t(AMQP_BASIC_PRIORITY_FLAG) | amqp_flags_t(AMQP_BASIC_EXPIRATION_FLAG)
        | amqp_flags_t(AMQP_BASIC_TIMESTAMP_FLAG) | AMQPFlag.headers
      unsafe properties.content_type = pool.text("application/json")
      unsafe properties.correlation_id = pool.text("c-1")
      unsafe properties.priority = 7
      unsafe properties.expiration = pool.text("3600000")
      unsafe properties.timestamp = 1_700_000_000
      let inner = unsafe pool.table([pool.entry("deep", text: "value")])
      unsafe properties.headers = unsafe pool.table([
        pool.entry("apns-priority", number: 10), pool.entry("apns-topic", text: "com.example.app"),
        pool.entry("flag", flag: true), pool.entry("table", table: inner),
      ])
      return unsafe properties
    }

    private static func read(_ properties: amqp_basic_properties_t) -> Message {
      unsafe AMQPProperties(properties).message(body: [1])
    }

    @Test("typed headers are read as text, and keep their types on the way out")
    func roundTrip() {
      let pool = AMQPPool()
      var message = unsafe Self.read(Self.foreign(pool))
      #expect(
        message.headers == [
          Header("apns-priority", "10"), Header("apns-topic", "com.example.app"), Header("flag", "true"),
        ])
      message.headers.append(Header("enrich-outcome", "enriched"))
      let out = unsafe AMQPMessageEncoder.properties(of: message, in: pool)
      #expect(unsafe out.content_type.text == "application/json")
      #expect(unsafe out.correlation_id.text == "c-1")
      #expect(unsafe out.priority == 7)
      #expect(unsafe out.expiration.text == "3600000")
      #expect(unsafe out.timestamp == 1_700_000_000)
      #expect(unsafe out.message_id.text == message.id)
      #expect(unsafe out.delivery_mode == 2)
      let kinds = unsafe out.headers.asArray.map { entry in
        unsafe "\(entry.key.text) \(Character(UnicodeScalar(entry.value.kind)))"
      }
      #expect(kinds == ["apns-priority l", "apns-topic S", "flag t", "enrich-outcome S", "table F"])
      #expect(unsafe Self.read(out) == message)
    }

    @Test(
      "hand-outs are counted up to a plausible maximum",
      arguments: [
        ("2", 2), ("9223372036854775807", 1_000_000), ("9223372036854775806", 1_000_000), ("-5", 0),
        ("99999999999999999999", 0), ("many", 0),
      ])
    func handOuts(text: String, crashes: Int) {
      let pool = AMQPPool()
      var properties = unsafe amqp_basic_properties_t()
      unsafe properties._flags = AMQPFlag.headers
      unsafe properties.headers = unsafe pool.table([pool.entry(Message.crashHeader, text: text)])
      let read = unsafe AMQPProperties(properties)
      let delivery = AMQPDelivery(
        tag: 1, message: read.message(body: [1]), isRedelivered: true, deliveryCount: read.deliveryCount,
        crashes: read.crashes)
      #expect(delivery.attempt == crashes + 2)
    }

    @Test("a typed header whose text was changed goes out as text, and a removed one is gone")
    func changed() {
      let pool = AMQPPool()
      var message = unsafe Self.read(Self.foreign(pool))
      message.headers = [Header("apns-priority", "5")]
      let again = unsafe Self.read(AMQPMessageEncoder.properties(of: message, in: pool))
      #expect(again.headers == [Header("apns-priority", "5")])
    }

    @Test("a plain message has only an id, a body and headers")
    func plain() {
      let pool = AMQPPool()
      let message = Message(
        id: "a", body: [1], headers: [Header("x", "1"), Header("x", "1"), Header("y", "")])
      #expect(unsafe Self.read(AMQPMessageEncoder.properties(of: message, in: pool)) == message)
    }

    @Test("a message without an id gets the same one each time, different from those of others")
    func digest() {
      let pool = AMQPPool()
      let (one, again) = unsafe (Self.read(Self.foreign(pool)), Self.read(Self.foreign(pool)))
      #expect(one.id.utf8.count == 64)
      #expect(one.id == again.id)
      var other = unsafe Self.foreign(pool)
      unsafe other.priority = 1
      #expect(unsafe Self.read(other).id != one.id)
      #expect(
        AMQPIdentifier.digest([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test("notes of the broker are not passed on, and neither are headers that would trigger it")
    func notes() {
      let pool = AMQPPool()
      var properties = unsafe amqp_basic_properties_t()
      unsafe properties._flags = AMQPFlag.headers | AMQPFlag.userID
      unsafe properties.user_id = pool.text("somebody")
      unsafe properties.headers = unsafe pool.table([
        pool.entry("x-delivery-count", number: 2), pool.entry("CC", text: "incoming"),
        pool.entry("a", text: "b"),
      ])
      let read = unsafe AMQPProperties(properties)
      #expect(read.deliveryCount == 2)
      #expect(read.message(body: []).headers == [Header("a", "b")])
      #expect(read.message(body: []).brokerProperties == [])
    }

    @Test("headers that only the broker may set are left out, and the message is published")
    func brokerHeaders() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      let others = [Header("cc", "1"), Header("x-other", "2")]
      let own = ["CC", "BCC", "x-delivery-count", "x-acquired-count"].map { Header($0, "5") }
      try await queue.publish([Message(id: "a", body: [1], headers: own + others + own)])
      let delivery = try await queue.next()
      #expect(delivery.message.headers == others)
      #expect(delivery.attempt == 1)
    }

    @Test("a long id becomes its digest, and a header whose name is too long or empty is left out")
    func long() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      let id = String(repeating: "i", count: 300)
      let headers = [
        Header("a", "1"), Header(String(repeating: "n", count: 256), "1"), Header("", "1"),
        Header("b", String(repeating: "w", count: 60_000)),
      ]
      try await queue.publish([Message(id: id, body: [1], headers: headers)])
      let received = try await queue.receive(2, waitingUpTo: .zero)
      #expect(
        received?.map(\.message) == [
          Message(id: AMQPIdentifier.digest(Array(id.utf8)), body: [1], headers: [headers[0], headers[3]])
        ])
    }

    @Test("a result keeps the time after which it expires; a dead letter and what goes back do not")
    func expiration() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let (queue, target) = (try server.open(url), try server.open(server.newURL()))
      let (message, lasting): (Message, [UInt8]) = {
        let pool = AMQPPool()
        let foreign = unsafe Self.foreign(pool)
        var lasting = unsafe foreign
        unsafe lasting._flags &= ~AMQPFlag.expiration
        return unsafe (Self.read(foreign), Self.read(lasting).brokerProperties)
      }()
      func copy(_ outcome: String, _ reason: String?, _ properties: [UInt8]) -> Message {
        let reasons = reason.map { [Header(ResultHeader.reason, $0)] } ?? []
        return Message(
          id: message.id, body: [1],
          headers: message.headers.prefix(2) + [Header(ResultHeader.outcome, outcome)] + reasons
            + message.headers.dropFirst(2), brokerProperties: properties)
      }
      let cases = [
        ("enriched", nil, message.brokerProperties), ("unmodified", "no-media", message.brokerProperties),
        ("unmodified", "poison", lasting), ("unmodified", "invalid-payload", lasting),
        ("rejected", "message-too-large", lasting),
      ]
      try await target.publish(cases.map { copy($0.0, $0.1, message.brokerProperties) })
      #expect(try await target.browse(9) == cases.map { copy($0.0, $0.1, $0.2) })

      try await queue.publish([message])
      let delivery = try await queue.next()
      #expect(delivery.message == message)
      try await queue.requeue(delivery)
      let again = Message(id: message.id, body: [1], headers: message.headers, brokerProperties: lasting)
      #expect(try await queue.browse(9) == [again])
    }

    @Test("properties pass through a broker, from queue to queue")
    func throughBroker() async throws {
      let server = try await RabbitMQServer.shared
      let (source, target) = (try server.open(server.newURL()), try server.open(server.newURL()))
      let message: Message = {
        let pool = AMQPPool()
        return unsafe Self.read(Self.foreign(pool))
      }()
      try await source.publish([message])
      let delivery = try #require(try await source.receive(1, waitingUpTo: .zero)?.first)
      #expect(delivery.message == message)
      try await source.settle(delivery, publishing: [Publication(delivery.message, into: target)])
      #expect(try await target.browse(2) == [message])
      #expect(try await source.isEmpty)
    }

    @Test("a body over 128 KiB is cut")
    func cut() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      let body = [UInt8](repeating: 7, count: 3_000_000)
      try await queue.publish([Message(id: "a", body: body), Message(id: "b", body: [1])])
      let messages = try await queue.browse(3)
      #expect(messages.map(\.id) == ["a", "b"])
      #expect(messages.map(\.body.count) == [131_072, 1])
    }
  }
#endif
