#if RabbitMQ
  internal import RabbitMQQueueing
#endif
#if Redis
  internal import RedisQueueing
#endif

/// The files of this machine that a queue needs for as long as it is used.
package struct QueueFiles: Equatable, Sendable {
  /// A database. SQLite keeps further files beside it.
  package var database: String?
  /// Read at each connection, and replaced now and then.
  package var passwordFile: String?
}

extension QueueURL {
  package var files: QueueFiles {
    switch self {
    case .sqlite(let path, _): QueueFiles(database: path)
    case .lines: QueueFiles()
    #if Redis
      case .redis(let url): QueueFiles(passwordFile: url.server.passwordFile)
    #endif
    #if RabbitMQ
      case .rabbitMQ(let url): QueueFiles(passwordFile: url.server.passwordFile)
    #endif
    }
  }
}
