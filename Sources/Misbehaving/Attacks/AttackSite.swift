internal import NIOCore
internal import NIOPosix

/// A running attack. Each has its own origin, because a worker avoids a host that does not answer for a while.
package struct AttackSite: Sendable {
  package let attack: Attack
  /// The URL of the medium.
  package let url: String
  /// The options that let a worker reach it, in addition to `--allow-network 127.0.0.1/32` and
  /// `--allow-http`.
  package let options: [String]
}

/// Runs `body` while `attacks` are served on 127.0.0.1. Writes the certificate into `folder`.
/// - Parameter answersOnce: whether the first answer over HTTP/1.1 is a 404, because many requests
///   at once may only go to a host that has answered.
/// - Throws: the errors of `body`, `MisbehavingError`, or an error from NIO if there are no ports.
package func withAttacks<Result: Sendable>(
  _ attacks: [Attack], in folder: String, afterOneAnswer answersOnce: Bool = false,
  _ body: ([AttackSite]) async throws -> Result
) async throws -> Result {
  let ground = AttackGround(
    certificate: try ServerCertificate(for: "IP:127.0.0.1"), authority: "\(folder)/certificate.pem",
    answersOnce: answersOnce)
  try ground.certificate.write(to: ground.authority)
  return try await ground.serve(attacks[...], body)
}

private struct AttackGround: ~Copyable {
  let certificate: ServerCertificate
  let authority: String
  let answersOnce: Bool

  /// Serves the first attack and, at the same time, the others. Runs `body` once all are served.
  func serve<Result: Sendable>(
    _ attacks: ArraySlice<Attack>, beside sites: [AttackSite] = [],
    _ body: ([AttackSite]) async throws -> Result
  ) async throws -> Result {
    guard let attack = attacks.first else { return try await body(sites) }
    func rest(_ url: String, _ port: Int, _ options: [String] = []) async throws -> Result {
      let options = ["--ca-file", authority, "--allow-port", "\(port)"] + options
      let site = AttackSite(attack: attack, url: url, options: options)
      return try await serve(attacks.dropFirst(), beside: sites + [site], body)
    }
    switch attack.means {
    case .http(let behaviour, let burden):
      let tls = try TLSServerContext(certificate, speaking: .http1, sending: burden)
      return try await withHostileServer(tls: tls) { try await rest($0.url(served(behaviour)), $0.port) }
    case .plain(let behaviour):
      return try await withHostileServer { try await rest($0.url(served(behaviour)), $0.port) }
    case .stalledHandshake:
      return try await withHostileServer { try await rest($0.stallingTLSURL(), $0.port) }
    case .http2(let behaviour):
      let photo = Attack.photoStart + Array(repeating: 0, count: 20_000)
      let tls = try TLSServerContext(certificate, speaking: .http2)
      return try await withHTTP2Server(behaviour, photo: photo, tls: tls) { try await rest($0.url, $0.port) }
    case .silentNameServer:
      let socket = try await DatagramBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .bind(host: "127.0.0.1", port: 0).get()
      defer { socket.close(promise: nil) }
      let options = ["--name-servers", "127.0.0.1:\(socket.localAddress?.port ?? 0)"]
      return try await rest("https://media.example/photo.jpg", 443, options)
    }
  }

  private func served(_ behaviour: Behaviour) -> Behaviour {
    answersOnce ? .failing(first: 1, by: .serve(Response(status: 404)), then: behaviour) : behaviour
  }
}
