import Foundation
import Serving
import Testing

/// Runs `body` with the URL of a server on loopback, then stops it.
func withServer(_ routes: [Route], _ body: (URL) async throws -> Void) async throws {
  let server = try await Server.start(at: Endpoint("127.0.0.1:0"), routes: routes)
  do {
    try await body(try #require(URL(string: "http://\(server.endpoint)")))
    await server.stop()
  } catch {
    await server.stop()
    throw error
  }
}
