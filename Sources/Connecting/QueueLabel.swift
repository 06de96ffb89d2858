#if RabbitMQ
  internal import RabbitMQQueueing
#endif
#if Redis
  internal import RedisQueueing
#endif

/// Names a queue in metrics. Stable, and without secrets.
package struct QueueLabel: Equatable, Sendable {
  /// OpenTelemetry's `messaging.system`: `sqlite`, `redis`, `rabbitmq`; `lines` for a pipe.
  package let system: String
  /// The queue or stream. For a RabbitMQ exchange, that and the routing key (`messaging.destination.name`,
  /// opentelemetry.io/docs/specs/semconv/messaging/rabbitmq: `{exchange}:{routing key}`, or the one that is
  /// not empty).
  package let name: String
}

extension QueueURL {
  package var label: QueueLabel {
    switch self {
    case .sqlite(_, let queue): return QueueLabel(system: "sqlite", name: queue)
    case .lines: return QueueLabel(system: "lines", name: "-")
    #if Redis
      case .redis(let url): return QueueLabel(system: "redis", name: url.name)
    #endif
    #if RabbitMQ
      case .rabbitMQ(let url):
        let names = [url.target.exchange, url.target.routingKey].filter { !$0.isEmpty }
        return QueueLabel(system: "rabbitmq", name: names.joined(separator: ":"))
    #endif
    }
  }
}
