package import Queueing

#if RabbitMQ
  internal import RabbitMQQueueing
#endif
#if Redis
  internal import RedisQueueing
#endif

extension QueueKind {
  /// The kinds of this build. Lines are the last: a message about a wrong URL ends with them.
  package static let builtIn: [QueueKind] = [.sqlite, redis, rabbitMQ, .lines]

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
  /// Opens a queue of a kind that is built in.
  /// - Parameter defaultQueue: the queue or stream if `url` names none.
  /// - Throws: `QueueError.urlInvalid`, and what `QueueURL.open` throws.
  package func open(_ url: String, defaultQueue: String) throws(QueueError) -> any Queue {
    try QueueKind.builtIn.url(url, defaultQueue: defaultQueue).open(in: self, for: .taking, createsFile: true)
  }
}
