#if RabbitMQ
  internal import RabbitMQQueueing
#endif
#if Redis
  internal import RedisQueueing
#endif

/// What a queue needs from the sandbox for as long as it is used.
package struct QueueNeeds: Equatable, Sendable {
  /// A database. SQLite keeps further files beside it.
  package var database: String?
  /// Read at each connection, and replaced now and then.
  package var passwordFile: String?
  /// The TCP port of its broker.
  package var port: Int?
}

extension QueueURL {
  package var needs: QueueNeeds {
    switch self {
    case .sqlite(let path, _): QueueNeeds(database: path)
    case .lines: QueueNeeds()
    #if Redis
      case .redis(let url): QueueNeeds(passwordFile: url.server.passwordFile, port: url.server.port)
    #endif
    #if RabbitMQ
      case .rabbitMQ(let url): QueueNeeds(passwordFile: url.server.passwordFile, port: url.server.port)
    #endif
    }
  }
}
