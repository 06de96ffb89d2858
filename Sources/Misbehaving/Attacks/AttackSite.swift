internal import NIOCore
internal import NIOPosix

/// An attack that is to be had, at an origin of its own: a host that does not answer is not asked by others
/// for a while.
package struct AttackSite: Sendable {
  package let attack: Attack
  /// Of the media behind which it is.
  package let url: String
  /// The options that let a worker get there, beside `--allow-network 127.0.0.1/32` and `--allow-http`.
  package let options: [String]
}

/// Runs `body` while each of `attacks` is to be had on a free port of 127.0.0.1, in their order, and stops
/// them however `body` ends.
///
/// - Parameters:
///   - folder: where a certificate can be written that is in the options.
///   - answersOnce: whether those over HTTP/1.1 answer the first request with 404, as a host that can be
///     asked by many.
/// - Throws: what `body` throws, `MisbehavingError`, or an error of NIO's if there are no ports.
package func withAttacks<Result: Sendable>(
  _ attacks: [Attack], in folder: String, afterOneAnswer answersOnce: Bool = false,
  _ body: ([AttackSite]) async throws -> Result
) async throws -> Result {
  let authority = "\(folder)/certificate.pem"
  let certificate = try ServerCertificate(for: "IP:127.0.0.1")
  try certificate.write(to: authority)
  let grounds = AttackGrounds(
    tls: try TLSServerContext(certificate, speaking: .http1),
    http2: try TLSServerContext(certificate, speaking: .http2), authority: authority,
    answersOnce: answersOnce)
  return try await withThrowingTaskGroup(of: Void.self) { group in
    defer { group.cancelAll() }
    var sites: [AttackSite] = []
    for attack in attacks {
      let (site, serve) = try await grounds.open(attack, with: certificate)
      sites.append(site)
      group.addTask { await serve() }
    }
    return try await body(sites)
  }
}

/// Where attacks are made from: 127.0.0.1, with a certificate for it.
private struct AttackGrounds: Sendable {
  typealias Serving = @Sendable () async -> Void

  private static let host = "127.0.0.1"

  let tls, http2: TLSServerContext
  /// The certificate's file.
  let authority: String
  let answersOnce: Bool

  /// - Parameter certificate: that of `authority`.
  /// - Returns: where the attack is to be had once `Serving` runs, which it does until it is cancelled.
  func open(
    _ attack: Attack, with certificate: borrowing ServerCertificate
  ) async throws -> (AttackSite, Serving) {
    switch attack.means {
    case .http(let behaviour, .none): return try await hostile(attack, behaviour, tls: tls)
    case .http(let behaviour, let burden):
      let tls = try TLSServerContext(certificate, speaking: .http1, sending: burden)
      return try await hostile(attack, behaviour, tls: tls)
    case .plain(let behaviour): return try await hostile(attack, behaviour, tls: nil)
    case .stalledHandshake: return try await hostile(attack, nil, tls: nil)
    case .http2(let behaviour):
      let listener = try await Listener(on: Self.host, port: 0, tls: http2)
      let photo = Attack.photoStart + Array(repeating: 0, count: 20_000)
      let server = HTTP2Server(behaviour, photo: photo, on: listener)
      return (site(attack, server.url, port: server.port), { await listener.accept(server.converse) })
    case .silentNameServer:
      let socket = try await DatagramBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .bind(host: Self.host, port: 0).get()
      let server = "\(Self.host):\(socket.localAddress?.port ?? 0)"
      let serve: Serving = {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
        socket.close(promise: nil)
      }
      return (site(attack, "https://media.example/photo.jpg", port: 443, ["--name-servers", server]), serve)
    }
  }

  private func site(_ attack: Attack, _ url: String, port: Int, _ options: [String] = []) -> AttackSite {
    AttackSite(
      attack: attack, url: url, options: ["--ca-file", authority, "--allow-port", "\(port)"] + options)
  }

  /// - Parameter behaviour: nil for a handshake without an answer.
  private func hostile(
    _ attack: Attack, _ behaviour: Behaviour?, tls: TLSServerContext?
  ) async throws -> (AttackSite, Serving) {
    let listener = try await Listener(on: Self.host, port: 0, tls: tls)
    let server = HostileServer(on: listener, host: Self.host)
    let url = behaviour.map { behaviour in
      server.url(
        answersOnce
          ? .failing(first: 1, by: .serve(Response(status: 404)), then: behaviour) : behaviour)
    }
    let place = site(attack, url ?? server.stallingTLSURL(), port: server.port)
    return (place, { await listener.accept(server.converse) })
  }
}
