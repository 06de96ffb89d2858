/// Queues of one test at the RabbitMQ that all tests share.
struct RabbitMQBroker: MortalBroker {
  let server: RabbitMQServer
  /// How missing queues are made: `quorum` or `classic`.
  let queueType: String
  private let prefix = String(UInt64.random(in: 0...UInt64.max), radix: 36)

  init(queueType: String) async throws {
    server = try await RabbitMQServer.shared
    self.queueType = queueType
  }

  func url(_ name: String) -> String { "\(server.url("\(prefix)-\(name)"))&queue-type=\(queueType)" }

  var name: String { server.name }

  func kill() async throws { try await server.kill() }

  func restart() async throws { try await server.restart() }

  func fillDisk(of consumer: Int32) async throws { try await server.fillDisk(of: consumer) }

  func freeDisk(of consumer: Int32) async throws { try await server.freeDisk(of: consumer) }

  /// Runs `body`, which may take the broker away, and has it there for the others however `body` ends.
  func survive(_ body: (any MortalBroker) async throws -> Void) async throws {
    do {
      try await body(self)
    } catch {
      try await restart()
      throw error
    }
    try await restart()
  }
}

extension RabbitMQServer {
  private static let starter = RabbitMQStarter()

  /// The one of all tests.
  package static var shared: RabbitMQServer {
    get async throws { try await starter.server }
  }
}

/// Started when it is first asked for, and stopped with the test process.
private actor RabbitMQStarter {
  private var starting: Task<RabbitMQServer, any Error>?

  var server: RabbitMQServer {
    get async throws {
      let task = starting ?? Task { try await RabbitMQServer.start(in: TemporaryDirectory.make()) }
      starting = task
      return try await task.value
    }
  }
}
