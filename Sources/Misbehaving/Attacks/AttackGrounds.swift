/// Where attacks are made from: 127.0.0.1, with a certificate for it.
struct AttackGrounds: Sendable {
  typealias Serving = @Sendable () async -> Void

  private static let host = "127.0.0.1"

  let tls, http2: TLSServerContext
  /// The certificate's file.
  let authority: String
  /// Whether an HTTP/1.1 server answers the first request with 404.
  let answersOnce: Bool

  /// - Parameter certificate: that of `authority`.
  /// - Returns: where the attack is to be had once `Serving` runs, which it does until it is cancelled.
  /// - Throws: `MisbehavingError`, or an error of NIO's if there is no port.
  func open(
    _ attack: Attack, with certificate: borrowing ServerCertificate
  ) async throws -> (AttackSite, Serving) {
    func site(_ url: String, port: Int, _ options: [String] = []) -> AttackSite {
      AttackSite(
        attack: attack, url: url,
        options: ["--ca-file", authority, "--allow-port", "\(port)"] + options)
    }
    switch attack.means {
    case .http(let behaviour, .none):
      let (server, serving) = try await hostile(tls: tls)
      return (site(server.url(opening(behaviour)), port: server.port), serving)
    case .http(let behaviour, let burden):
      let (server, serving) = try await hostile(
        tls: try TLSServerContext(certificate, speaking: .http1, sending: burden))
      return (site(server.url(opening(behaviour)), port: server.port), serving)
    case .plain(let behaviour):
      let (server, serving) = try await hostile(tls: nil)
      return (site(server.url(opening(behaviour)), port: server.port), serving)
    case .stalledHandshake:
      let (server, serving) = try await hostile(tls: nil)
      return (site(server.stallingTLSURL(), port: server.port), serving)
    case .http2(let behaviour):
      let listener = try await Listener(on: Self.host, port: 0, tls: http2)
      let photo = Attack.photoStart + Array(repeating: 0, count: 20_000)
      let server = HTTP2Server(behaviour, photo: photo, on: listener)
      return (site(server.url, port: server.port), { await server.serve(listener) })
    case .silentNameServer:
      let socket = try SilentSocket()
      let options = ["--name-servers", "\(Self.host):\(socket.port)"]
      return (
        site("https://media.example/photo.jpg", port: 443, options), { await socket.waitForCancellation() }
      )
    }
  }

  private func opening(_ behaviour: Behaviour) -> Behaviour {
    answersOnce ? .failing(first: 1, by: .serve(Response(status: 404)), then: behaviour) : behaviour
  }

  private func hostile(tls: TLSServerContext?) async throws -> (HostileServer, Serving) {
    let listener = try await Listener(on: Self.host, port: 0, tls: tls)
    let server = HostileServer(on: listener, host: Self.host)
    return (server, { await server.serve(listener) })
  }
}
