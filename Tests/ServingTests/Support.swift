import Serving
import TestSupport

/// Runs `body` with a server on a free port, and stops it however `body` ends.
func withServer(
  _ routes: [Route], within limits: ServerLimits = .patient, _ body: (Server) async throws -> Void
) async throws {
  let server = try await Server.start(at: Endpoint("127.0.0.1:0"), routes: routes, limits: limits)
  do {
    try await body(server)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

extension ServerLimits {
  static let patient = ServerLimits(idle: .seconds(60), transfer: .seconds(60))

  init(connections: Int = 16, idle: Duration = .seconds(60), transfer: Duration = .seconds(60)) {
    self.init()
    self.connections = connections
    self.idle = idle
    self.transfer = transfer
  }
}

extension Server {
  /// The body of the answer followed by its status.
  func fetch(_ path: String, _ options: String...) async throws -> String {
    try await Command("curl").run(
      ["-q", "-sS", "--noproxy", "*", "--write-out", "%{http_code}"] + options + ["http://\(endpoint)\(path)"]
    ).output
  }

  /// The output of a shell script with the port in `$1`. A broken connection does not make it fail.
  func shell(_ script: String) async throws -> String {
    try await Command("bash").run(["-c", script, "bash", "\(endpoint.port)"]).output
  }

  /// The bytes that come back over a connection until it is closed.
  /// - Parameter request: in the syntax of `printf`.
  func talk(_ request: String) async throws -> String {
    try await shell(#"exec 3<>/dev/tcp/127.0.0.1/$1; printf '\#(request)' >&3; cat <&3"#)
  }
}

extension String {
  /// How often `part` occurs in it.
  func count(of part: String) -> Int {
    split(separator: part, omittingEmptySubsequences: false).count - 1
  }
}
