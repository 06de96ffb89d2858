/// The brokers that this build knows. Tests of queues run with each. To add one, add a case.
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

  /// One kind for each product that processes can share: for tests of processes, not of queues.
  package static var products: [BrokerKind] {
    allCases.filter { kind in
      #if RabbitMQ
        return kind != .memory && kind != .rabbitMQClassic
      #else
        return kind != .memory
      #endif
    }
  }

  /// Whether a lease can be lost although its holder is alive and connected.
  package var losesLeases: Bool { !isRabbitMQ && self != .memory }

  /// Whether it reports how many messages are on lease.
  package var countsLeases: Bool { !isRabbitMQ }

  /// Whether a message that was only looked at, or given back, does not count as handed out.
  package var forgetsReleases: Bool { !isRabbitMQ }

  /// Whether publishing a result and acknowledging its message are one step, so that no crash can
  /// come in between.
  package var settlesAtOnce: Bool { !isRabbitMQ }

  /// Whether headers with different names keep their order. Quorum queues sort them.
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

  /// Runs `body` with queues of its own on a broker that other tests may use at the same time.
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

  /// Runs `body` with a broker that no other test uses, and stops it however `body` ends.
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
