/// A server that one test starts and ends.
protocol MortalServer: Sendable {
  /// Ends it at once, like a power cut.
  func kill() async throws
}

/// Runs `body` with a server of its own, and ends it however `body` ends.
func withServer<Server: MortalServer, Result: Sendable>(
  _ start: (TemporaryDirectory) async throws -> Server, _ body: (Server) async throws -> Result
) async throws -> Result {
  try await withTemporaryDirectory { folder in
    let server = try await start(folder)
    do {
      let result = try await body(server)
      try await server.kill()
      return result
    } catch {
      try? await server.kill()
      throw error
    }
  }
}
