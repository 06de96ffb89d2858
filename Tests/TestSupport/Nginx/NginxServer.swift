import Subprocess
import SystemPackage

/// A real nginx on loopback, over HTTP and over HTTPS (HTTP/1.1 and HTTP/2). Made by `withNginx`.
package struct NginxServer: Sendable {
  /// Why it could not be used.
  package enum Failure: Error, Equatable {
    /// The log may say why.
    case didNotStart(log: String)
  }

  package let httpPort: Int
  /// Has a certificate for `localhost`, `127.0.0.1` and `media.example`, signed by the authority of
  /// `caFile`. Paths below `/downgrade/` redirect to `httpPort`.
  package let httpsPort: Int
  /// Has a certificate by the same authority, for another host.
  package let wrongHostPort: Int
  /// Has a self-signed certificate for the right names.
  package let selfSignedPort: Int
  /// The PEM file of the authority's certificate, for `--ca-file`.
  package let caFile: String

  package var httpOrigin: String { "http://127.0.0.1:\(httpPort)" }
  package var httpsOrigin: String { "https://127.0.0.1:\(httpsPort)" }
  package var wrongHostOrigin: String { "https://127.0.0.1:\(wrongHostPort)" }
  package var selfSignedOrigin: String { "https://127.0.0.1:\(selfSignedPort)" }
}

/// Runs `body` with an nginx that serves the files of a folder, and stops it however `body` ends.
/// - Throws: what `body` throws, `NginxServer.Failure`, or what `Command` throws if openssl fails.
package func withNginx<Result: Sendable>(
  serving root: String, _ body: (NginxServer) async throws -> Result
) async throws -> Result {
  try await withTemporaryDirectory { folder in
    let certificates = try await Certificates(in: folder)
    // A port may be taken by the time nginx binds it. nginx gives up after trying for 2.5 s.
    for _ in 0..<4 {
      let ports = freePorts(4)
      let configuration = NginxConfiguration(
        folder: folder, root: root, certificates: certificates,
        ports: .init(http: ports[0], https: ports[1], wrongHost: ports[2], selfSigned: ports[3]))
      if let result = try await run(configuration, body) { return result }
    }
    throw NginxServer.Failure.didNotStart(
      log: String(decoding: (try? Files.read(folder.path(of: "error.log"))) ?? [], as: UTF8.self))
  }
}

/// Tries once. Returns nil if nginx did not start; `body` was not called then.
private func run<Result: Sendable>(
  _ nginx: NginxConfiguration, _ body: (NginxServer) async throws -> Result
) async throws -> Result? {
  try Files.write(Array(nginx.text.utf8), to: nginx.path)
  let command = Command("nginx").configuration(["-c", nginx.path, "-e", nginx.log, "-p", nginx.folder.path])
  let outcome = try await Subprocess.run(command, input: .none, output: .discarded, error: .discarded) {
    process in
    guard try await hasStarted(nginx, pid: process.processIdentifier.value) else {
      await process.teardown(using: [])
      return Result?.none
    }
    // If this throws, Subprocess kills the process: its teardown sequence is empty by default.
    let result = try await body(
      NginxServer(
        httpPort: nginx.ports.http, httpsPort: nginx.ports.https, wrongHostPort: nginx.ports.wrongHost,
        selfSignedPort: nginx.ports.selfSigned, caFile: nginx.certificates.authority.certificate))
    await process.teardown(using: [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))])
    return result
  }
  return outcome.closureResult
}

/// Waits up to 10 s. nginx writes its pid only once it listens. Before that, a connection might
/// reach another server.
private func hasStarted(_ nginx: NginxConfiguration, pid: Int32) async throws -> Bool {
  for _ in 0..<1000 {
    if let written = try? Files.read(nginx.pidFile), String(decoding: written, as: UTF8.self) == "\(pid)\n" {
      return true
    }
    if ProcessStatus.privateBytes(of: pid) == nil { return false }
    try await Task.sleep(for: .milliseconds(10))
  }
  return false
}
