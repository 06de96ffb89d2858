package import Queueing

/// A queue and the login for it: `amqp[s]://[USER:PASSWORD@]HOST[:PORT]/VHOST?queue=NAME`. Optional
/// parameters are `exchange=NAME`, `routing-key=KEY`, `queue-type=TYPE` and `password-file=PATH`.
package struct RabbitMQURL: QueueURL {
  package static let kind = QueueKind(
    ["amqp:", "amqps:"], example: { _ in "amqp://HOST/VHOST?queue=NAME" }
  ) { (text, queue) throws(QueueError) in try RabbitMQURL(text, defaultQueue: queue) }

  let server: Server
  /// Nil if the URL names only an exchange.
  let queue: String?
  /// Where messages are published.
  var target: Target
  /// The type of the queue if it has to be created.
  let queueType: QueueType

  /// If the exchange has no name, the routing key names the queue (AMQP 0-9-1 section 3.1.3.1).
  struct Target: Equatable {
    let exchange: String
    let routingKey: String

    static func queue(_ name: String) -> Target { Target(exchange: "", routingKey: name) }
  }

  enum QueueType: String {
    /// Replicated; counts how often a message was handed out.
    case quorum
    case classic
  }

  /// - Parameter defaultQueue: the queue to use if `text` names neither a queue nor an exchange.
  /// - Throws: `QueueError.urlInvalid` with a URL that would be right.
  init(_ text: String, defaultQueue: String) throws(QueueError) {
    do throws(URLFault) {
      let url = try BrokerURL(text, parameters: ["queue", "exchange", "routing-key", "queue-type"])
      server = try Server(url, defaultQueue: defaultQueue)
      let (values, maximum) = (url.parameters, AMQPIdentifier.maximumLength)
      for (name, value) in values where value.utf8.count > maximum {
        throw URLFault("its parameter \(name) has at most \(maximum) bytes")
      }
      queue = values["queue"] ?? (values["exchange"] == nil ? defaultQueue : nil)
      target = Target(exchange: values["exchange"] ?? "", routingKey: values["routing-key"] ?? queue ?? "")
      guard let queueType = QueueType(rawValue: values["queue-type"] ?? "quorum") else {
        throw URLFault("its parameter queue-type is quorum or classic")
      }
      self.queueType = queueType
      guard values["routing-key"] == nil || values["exchange"] != nil else {
        throw URLFault("its parameter routing-key is for an exchange, and there is none")
      }
    } catch {
      let right = error.right ?? "amqp://USER:PASSWORD@localhost:5672/VHOST?queue=\(defaultQueue)"
      throw .urlInvalid(text.withoutPassword, error, right: right)
    }
  }

  /// `{exchange}:{routing key}`, or only the part that is not empty
  /// (opentelemetry.io/docs/specs/semconv/messaging/rabbitmq).
  package var label: QueueLabel {
    let names = [target.exchange, target.routingKey].filter { !$0.isEmpty }
    return QueueLabel(system: "rabbitmq", name: names.joined(separator: ":"))
  }

  package var needs: QueueNeeds { QueueNeeds(passwordFile: server.passwordFile, port: server.port) }

  /// Whether both URLs name one queue, and `other` no exchange, which might put messages anywhere.
  package func isSameQueue(as other: any QueueURL) -> Bool {
    guard let other = other as? RabbitMQURL else { return false }
    return server.host.isSameHost(as: other.server.host) && server.port == other.server.port
      && server.vhost == other.server.vhost
      && queue == other.queue && queue == other.target.routingKey && other.target.exchange.isEmpty
  }

  package func sibling(_ name: String, of text: String) -> String? {
    let (front, query) = text.splitAtQuery
    let own = ["queue=", "exchange=", "routing-key="]
    let others = query.split(separator: "&").filter { parameter in !own.contains { parameter.hasPrefix($0) } }
    return "\(front)?" + (["queue=\(name)"[...]] + others).joined(separator: "&")
  }

  package func example(_ name: String) -> String { "amqp://HOST/VHOST?queue=\(name)" }

  package func open(
    in queues: Queues, for use: QueueUse, createsFile: Bool
  ) throws(QueueError) -> any Queue {
    try RabbitMQQueue(self, in: queues)
  }
}
