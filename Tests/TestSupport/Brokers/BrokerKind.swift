/// The brokers that this build knows: what holds for queues is tested with each. A new one is a new case.
package enum BrokerKind: String, CaseIterable, Sendable, CustomStringConvertible {
  case memory = "Memory"
  case sqlite = "SQLite"
  #if Redis
    case redis = "Redis"
  #endif
  #if RabbitMQ
    case rabbitMQ = "RabbitMQ"
    case rabbitMQClassic = "RabbitMQ, classic queues"
  #endif

  package var description: String { rawValue }

  /// One for each product that processes share: for what has more to do with processes than with kinds of queues.
  package static var products: [BrokerKind] {
    allCases.filter { kind in
      #if RabbitMQ
        return kind != .memory && kind != .rabbitMQClassic
      #else
        return kind != .memory
      #endif
    }
  }

  /// Whether a lease may be lost while its holder and the holder's connection are there.
  package var losesLeases: Bool { !isRabbitMQ && self != .memory }

  /// Whether it tells how many messages are on lease.
  package var countsLeases: Bool { !isRabbitMQ }

  /// Whether a message that was given back, or looked at, does not count as handed out.
  package var forgetsReleases: Bool { !isRabbitMQ }

  /// Whether a result is published and its message acknowledged at once, so that no crash comes in between.
  package var settlesAtOnce: Bool { !isRabbitMQ }

  /// Whether headers of different names stay in their order: quorum queues sort them.
  package var keepsHeaderOrder: Bool {
    #if RabbitMQ
      self != .rabbitMQ
    #else
      true
    #endif
  }

  private var isRabbitMQ: Bool {
    switch self {
    case .memory, .sqlite: false
    #if Redis
      case .redis: false
    #endif
    #if RabbitMQ
      case .rabbitMQ, .rabbitMQClassic: true
    #endif
    }
  }

  /// Runs `body` with queues of its own at a broker that other tests may use at the same time.
  package func withBroker(_ body: (any Broker) async throws -> Void) async throws {
    switch self {
    case .memory: try await body(MemoryBroker())
    case .sqlite: try await withMortalBroker(body)
    #if Redis
      case .redis: try await body(Self.redisServer.broker())
    #endif
    #if RabbitMQ
      case .rabbitMQ: try await body(RabbitMQBroker(.shared, queueType: "quorum"))
      case .rabbitMQClassic: try await body(RabbitMQBroker(.shared, queueType: "classic"))
    #endif
    }
  }

  /// Runs `body` with a broker that nobody else uses, and stops it however `body` ends.
  package func withMortalBroker(_ body: (any MortalBroker) async throws -> Void) async throws {
    switch self {
    case .memory: try await body(MemoryBroker())
    case .sqlite: try await withTemporaryDirectory { try await body(SQLiteBroker(folder: $0)) }
    #if Redis
      case .redis: try await withRedisServer { try await body($0) }
    #endif
    #if RabbitMQ
      case .rabbitMQ:
        try await RabbitMQServer.withMortal { try await body(RabbitMQBroker($0, queueType: "quorum")) }
      case .rabbitMQClassic:
        try await RabbitMQServer.withMortal { try await body(RabbitMQBroker($0, queueType: "classic")) }
    #endif
    }
  }

  #if Redis
    private static let redisServer = SharedServer {
      try await RedisServer.start(in: TemporaryDirectory.make())
    }
  #endif
}
