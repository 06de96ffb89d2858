/// Queues of one test on a RabbitMQ that other tests use, too.
struct RabbitMQBroker: MortalBroker {
  let server: RabbitMQServer
  /// How missing queues are declared: `quorum` or `classic`.
  let queueType: String
  private let prefix = String(UInt64.random(in: 0...UInt64.max), radix: 36)

  init(_ server: RabbitMQServer, queueType: String) {
    self.server = server
    self.queueType = queueType
  }

  func url(_ name: String) -> String { "\(server.url("\(prefix)-\(name)"))&queue-type=\(queueType)" }

  var name: String { server.name }

  func kill() async throws { try await server.kill() }

  func restart() async throws { try await server.restart() }

  func fillDisk(of consumer: Int32) async throws { try await server.fillDisk(of: consumer) }

  func freeDisk(of consumer: Int32) async throws { try await server.freeDisk(of: consumer) }
}

extension RabbitMQServer {
  private static let starter = RabbitMQStarter()
  private static let mortalStarter = RabbitMQStarter()
  private static let turns = Turns()

  /// The server that all tests share at the same time. It takes seconds to start.
  package static var shared: RabbitMQServer {
    get async throws { try await starter.server }
  }

  /// Runs `body` with a second server, which `body` may stop or slow down. Tests take turns with
  /// it, and it runs again for the next test however `body` ends.
  package static func withMortal(_ body: (RabbitMQServer) async throws -> Void) async throws {
    await turns.take()
    do {
      let server = try await mortalStarter.server
      do {
        try await body(server)
      } catch {
        try await server.restart()
        throw error
      }
      try await server.restart()
    } catch {
      await turns.leave()
      throw error
    }
    await turns.leave()
  }
}

/// Lets tasks take turns, in the order in which they ask.
private actor Turns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    if isTaken { return await withCheckedContinuation { waiting.append($0) } }
    isTaken = true
  }

  func leave() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}

/// Starts a server when it is first needed. The server ends with the test process.
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
