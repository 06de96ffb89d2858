#if RabbitMQ
  internal import RabbitMQQueueing
#endif
#if Redis
  internal import RedisQueueing
#endif

extension QueueURL {
  /// Whether what is put into the one comes out of the other, as far as the URLs tell.
  /// - Parameter defaultQueues: for this and the other, where they name none.
  package func isSameQueue(as other: QueueURL, defaultQueues: (String, String)) -> Bool {
    switch (self, other) {
    case (.lines, .lines): return false
    case (.sqlite(let path, let queue), .sqlite(let otherPath, let otherQueue)):
      return queue == otherQueue && FileIdentity.isSame(path, as: otherPath)
    #if Redis
      case (.redis(let one), .redis(let two)):
        guard let one = try? RedisURL(one, defaultStream: defaultQueues.0),
          let two = try? RedisURL(two, defaultStream: defaultQueues.1)
        else { return false }
        return one.isSameStream(as: two)
    #endif
    #if RabbitMQ
      case (.rabbitMQ(let one), .rabbitMQ(let two)):
        guard let one = try? RabbitMQURL(one, defaultQueue: defaultQueues.0),
          let two = try? RabbitMQURL(two, defaultQueue: defaultQueues.1)
        else { return false }
        return one.isSameQueue(as: two)
    #endif
    default: return false
    }
  }
}
