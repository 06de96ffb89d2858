#if RabbitMQ
  import CRabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport

  extension RabbitMQServer {
    /// A queue of a test, whose name nobody else has.
    nonisolated func newURL() -> String { url("q\(UInt64.random(in: 0...UInt64.max))") }

    nonisolated func open(_ url: String, certificateFile: String? = nil) throws -> RabbitMQQueue {
      try RabbitMQQueue(RabbitMQURL(url, defaultQueue: "incoming"), certificateFile: certificateFile)
    }

    /// The same server under another name, over TLS.
    nonisolated func secureURL(host: String) -> String {
      url("secure").replacing(
        "amqp://guest:guest@127.0.0.1:\(ports.plain)", with: "amqps://\(host):\(ports.secure)")
    }
  }

  extension RabbitMQQueue {
    func delete() async throws {
      let name = link.url.queue ?? ""
      try await link.use { (session) throws(QueueError) in
        let pool = AMQPPool()
        let delete = unsafe amqp_queue_delete_t(
          ticket: 0, queue: pool.text(name), if_unused: 0, if_empty: 0, nowait: 0)
        unsafe try session.connection.send(AMQP_QUEUE_DELETE_METHOD, delete, on: AMQPSession.takingChannel)
        try session.wait(for: AMQP_QUEUE_DELETE_OK_METHOD)
      }
    }
  }
#endif
