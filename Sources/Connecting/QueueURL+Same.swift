#if RabbitMQ
  internal import RabbitMQQueueing
#endif
#if Redis
  internal import RedisQueueing
#endif

extension QueueURL {
  /// Whether messages put into one queue come out of the other, as far as the URLs tell.
  package func isSameQueue(as other: QueueURL) -> Bool {
    switch (self, other) {
    case (.sqlite(let path, let queue), .sqlite(let otherPath, let otherQueue)):
      return queue == otherQueue && FileIdentity.isSame(path, as: otherPath)
    #if Redis
      case (.redis(let one), .redis(let two)): return one.isSameStream(as: two)
    #endif
    #if RabbitMQ
      case (.rabbitMQ(let one), .rabbitMQ(let two)): return one.isSameQueue(as: two)
    #endif
    default: return false
    }
  }
}
