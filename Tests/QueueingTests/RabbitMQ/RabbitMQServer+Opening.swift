#if RabbitMQ
  import CRabbitMQ
  import Glibc
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport

  extension RabbitMQServer {
    /// A URL with a unique queue name.
    nonisolated func newURL() -> String { url("q\(UInt64.random(in: 0...UInt64.max))") }

    nonisolated func open(_ url: String, certificateFile: String? = nil) throws -> RabbitMQQueue {
      let url = try RabbitMQURL(url, defaultQueue: "incoming")
      return try RabbitMQQueue(url, in: Queues(certificateFile: certificateFile))
    }

    /// A URL of the same server with another host name, over TLS.
    nonisolated func secureURL(host: String) -> String {
      url("secure").replacing(
        "amqp://127.0.0.1:\(ports.plain)", with: "amqps://\(host):\(ports.secure)")
    }
  }

  extension RabbitMQQueue {
    /// Declares a queue as another program might.
    /// - Parameters:
    ///   - limit: an argument that push-enricher does not set.
    ///   - overflow: what happens to messages beyond the limit.
    func declare(
      _ url: String, type: String, autoDelete: Bool = false,
      limit: (name: String, value: Int64) = ("x-max-length-bytes", 100_000_000), overflow: String? = nil
    ) async throws {
      let name = try RabbitMQURL(url, defaultQueue: "x").queue ?? ""
      try await client.use { (session) throws(QueueError) in
        let pool = AMQPPool()
        var entries = unsafe [
          pool.entry("x-queue-type", text: type), pool.entry(limit.name, number: limit.value),
        ]
        if let overflow { unsafe entries.append(pool.entry("x-overflow", text: overflow)) }
        let method = unsafe amqp_queue_declare_t(
          ticket: 0, queue: pool.text(name), passive: 0, durable: 1, exclusive: 0,
          auto_delete: autoDelete ? 1 : 0, nowait: 0, arguments: pool.table(entries))
        unsafe try session.taking.send(AMQP_QUEUE_DECLARE_METHOD, method)
        guard case .counted = try session.replies.reply() else { throw .refused("it was not made") }
      }
    }

    /// Publishes a message with one long header, and no id, as another program might.
    /// - Parameter isText: false for bytes that are not UTF-8.
    func publish(_ body: [UInt8], headerLength: Int, isText: Bool) async throws {
      let name = client.url.queue ?? ""
      try await client.use { (session) throws(QueueError) in
        let pool = AMQPPool()
        var entry = unsafe pool.entry("long", text: String(repeating: "v", count: headerLength))
        if !isText {
          unsafe entry.value.kind = UInt8(AMQP_FIELD_KIND_BYTES.rawValue)
          unsafe entry.value.value.bytes = pool.bytes([UInt8](repeating: 0xFF, count: headerLength))
        }
        var properties = unsafe amqp_basic_properties_t()
        unsafe properties._flags = AMQPFlag.headers
        unsafe properties.headers = unsafe pool.table([entry])
        unsafe try session.replies.connection.publish(
          body, properties, exchange: amqp_empty_bytes, routingKey: pool.text(name),
          on: PublishingChannel.number)
        session.publishing.publishedCount += 1
        guard case .confirmed(_, _, isTaken: true) = try session.replies.reply() else {
          throw .refused("it was not taken")
        }
      }
    }

    /// Breaks its connection, as a network failure does.
    func cut() async throws {
      try await client.use { (session) throws(QueueError) in
        _ = shutdown(session.replies.connection.descriptor, Int32(SHUT_RDWR))
      }
    }

    func delete() async throws {
      let name = client.url.queue ?? ""
      try await client.use { (session) throws(QueueError) in
        let pool = AMQPPool()
        let delete = unsafe amqp_queue_delete_t(
          ticket: 0, queue: pool.text(name), if_unused: 0, if_empty: 0, nowait: 0)
        unsafe try session.taking.send(AMQP_QUEUE_DELETE_METHOD, delete)
        try session.replies.wait(for: AMQP_QUEUE_DELETE_OK_METHOD)
      }
    }
  }
#endif
