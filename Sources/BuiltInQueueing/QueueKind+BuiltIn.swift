internal import HTTPQueueing
package import Queueing
internal import Sending

#if RabbitMQ
  internal import RabbitMQQueueing
#endif
#if Redis
  internal import RedisQueueing
#endif

extension QueueKind {
  /// The kinds in this build. Lines come last, because a message about a wrong URL ends with them.
  package static let builtIn: [QueueKind] = [
    .sqlite, redis, rabbitMQ, DoorURL.kind, APNsURL.kind, .records, .lines,
  ]

  #if Redis
    private static let redis = RedisURL.kind
  #else
    private static let redis = missing(
      "Redis", ["redis:", "rediss:"], example: "redis://HOST/STREAM?group=NAME")
  #endif

  #if RabbitMQ
    private static let rabbitMQ = RabbitMQURL.kind
  #else
    private static let rabbitMQ = missing(
      "RabbitMQ", ["amqp:", "amqps:"], example: "amqp://HOST/VHOST?queue=NAME")
  #endif
}

extension Queues {
  /// Opens a queue of one of the built-in kinds.
  /// - Parameter defaultQueue: the queue or stream if `url` does not name one.
  /// - Throws: `QueueError.urlInvalid`, or what `QueueURL.open` throws.
  package func open(_ url: String, defaultQueue: String) throws(QueueError) -> any Queue {
    try QueueKind.builtIn.url(url, defaultQueue: defaultQueue).open(in: self, for: .taking, createsFile: true)
  }
}
