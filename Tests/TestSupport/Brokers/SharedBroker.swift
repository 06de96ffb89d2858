/// Queues of one test on a server that other tests use, too.
struct SharedBroker: Broker {
  let server: any Broker
  private let prefix: String

  init(_ server: any Broker) {
    self.server = server
    prefix = String(UInt64.random(in: 0...UInt64.max), radix: 36)
  }

  func url(_ name: String) -> String { server.url("\(prefix)-\(name)") }
}

/// A server that is started when it is first needed, and lives as long as the test process.
actor SharedServer<Server: Sendable> {
  private let start: @Sendable () async throws -> Server
  private var starting: Task<Server, any Error>?

  init(_ start: @escaping @Sendable () async throws -> Server) { self.start = start }

  func server() async throws -> Server {
    let task = starting ?? Task { try await start() }
    starting = task
    return try await task.value
  }
}

extension SharedServer where Server: Broker {
  /// Returns the server, with queue names that no other caller gets.
  func broker() async throws -> SharedBroker { SharedBroker(try await server()) }
}
