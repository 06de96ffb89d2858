#if RabbitMQ
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
#endif
