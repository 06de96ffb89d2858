package import Queueing

#if RabbitMQ
  internal import RabbitMQQueueing
#endif
#if Redis
  internal import RedisQueueing
#endif

/// The files of this machine that a queue needs for as long as it is used.
package struct QueueFiles: Equatable, Sendable {
  /// A database, which the queue keeps with others beside it.
  package var database: String?
  /// Read at each connection, and replaced by somebody now and then.
  package var passwordFile: String?

  /// - Parameter defaultQueue: the queue of a file, where `url` names none.
  /// - Throws: `QueueError.urlInvalid` for what names no queue.
  package init(of url: String, defaultQueue: String) throws(QueueError) {
    switch try QueueURL(url, defaultQueue: defaultQueue) {
    case .sqlite(let path, _): database = path
    case .lines: break
    case .redis(let text):
      #if Redis
        passwordFile = try RedisURL(text, defaultStream: defaultQueue).server.passwordFile
      #else
        _ = text
      #endif
    case .rabbitMQ(let text):
      #if RabbitMQ
        passwordFile = try RabbitMQURL(text, defaultQueue: defaultQueue).server.passwordFile
      #else
        _ = text
      #endif
    }
  }
}
