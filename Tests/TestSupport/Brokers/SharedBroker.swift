/// Queues of one test at a server that others use, too.
struct SharedBroker: Broker {
  let server: any Broker
  private let prefix: String

  init(_ server: any Broker) {
    self.server = server
    prefix = String(UInt64.random(in: 0...UInt64.max), radix: 36)
  }

  func url(_ name: String) -> String { server.url("\(prefix)-\(name)") }
}

/// A server that is started when it is first asked for, and lives as long as the test process.
actor SharedServer<Server: Broker> {
  private let start: @Sendable () async throws -> Server
  private var starting: Task<Server, any Error>?

  init(_ start: @escaping @Sendable () async throws -> Server) { self.start = start }

  /// The server, behind names that are nobody else's.
  func broker() async throws -> SharedBroker {
    let task = starting ?? Task { try await start() }
    starting = task
    return SharedBroker(try await task.value)
  }
}
