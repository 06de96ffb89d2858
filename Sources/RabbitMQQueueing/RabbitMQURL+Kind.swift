package import Queueing

extension RabbitMQURL: QueueURL {
  package static let kind = QueueKind(
    ["amqp:", "amqps:"], example: { _ in "amqp://HOST/VHOST?queue=NAME" }
  ) { (text, queue) throws(QueueError) in try RabbitMQURL(text, defaultQueue: queue) }

  /// The queue, or exchange and routing key
  /// (opentelemetry.io/docs/specs/semconv/messaging/rabbitmq: `{exchange}:{routing key}`, or the one that is
  /// not empty).
  package var label: QueueLabel {
    let names = [target.exchange, target.routingKey].filter { !$0.isEmpty }
    return QueueLabel(system: "rabbitmq", name: names.joined(separator: ":"))
  }

  package var needs: QueueNeeds { QueueNeeds(passwordFile: server.passwordFile, port: server.port) }

  /// Whether both name one queue and no exchange, which might put messages anywhere.
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
    return "\(front)?" + (["queue=\(name)"] + others.map { String($0) }).joined(separator: "&")
  }

  package func example(_ name: String) -> String { "amqp://HOST/VHOST?queue=\(name)" }

  package func open(
    in queues: Queues, for use: QueueUse, createsFile: Bool
  ) throws(QueueError) -> any Queue {
    try RabbitMQQueue(self, certificateFile: queues.certificateFile, tell: queues.tell)
  }
}
