internal import Queueing

#if RabbitMQ
  internal import RabbitMQQueueing
#endif
#if Redis
  internal import RedisQueueing
#endif

/// What a queue is called where queues are counted: nothing that changes, and no secret.
package struct QueueLabel: Equatable, Sendable {
  /// As OpenTelemetry has it (`messaging.system`): `sqlite`, `redis`, `rabbitmq`; `lines` for a pipe.
  package let system: String
  /// The queue or stream; of RabbitMQ, where there is an exchange, that and the routing key (`messaging.destination.name`,
  /// opentelemetry.io/docs/specs/semconv/messaging/rabbitmq: `{exchange}:{routing key}`, or the one that is not empty).
  package let name: String

  /// - Parameter defaultQueue: the queue of a file, where `url` names none.
  /// - Returns: nil for what names no queue.
  package init?(of url: String, defaultQueue: String) {
    guard let url = try? QueueURL(url, defaultQueue: defaultQueue) else { return nil }
    switch url {
    case .sqlite(_, let queue):
      (system, name) = ("sqlite", queue)
    case .lines:
      (system, name) = ("lines", "-")
    case .redis(let text):
      system = "redis"
      #if Redis
        name = (try? RedisURL(text, defaultStream: defaultQueue))?.stream ?? defaultQueue
      #else
        _ = text
        name = defaultQueue
      #endif
    case .rabbitMQ(let text):
      system = "rabbitmq"
      #if RabbitMQ
        let target = (try? RabbitMQURL(text, defaultQueue: defaultQueue))?.target
        let names = target.map { [$0.exchange, $0.routingKey].filter { !$0.isEmpty } } ?? [defaultQueue]
        name = names.joined(separator: ":")
      #else
        _ = text
        name = defaultQueue
      #endif
    }
  }
}
