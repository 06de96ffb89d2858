internal import NIOCore
internal import NIOPosix

/// A running attack. It has an origin of its own, because a host that does not answer is left alone for a while.
package struct AttackSite: Sendable {
  package let attack: Attack
  /// Of the media.
  package let url: String
  /// The options that let a worker get there, beside `--allow-network 127.0.0.1/32` and `--allow-http`.
  package let options: [String]
}

/// Runs `body` while each of `attacks` is served on a free port of 127.0.0.1, then stops them.
///
/// - Parameters:
///   - folder: takes the certificate that the options name.
///   - answersOnce: whether the attacks over HTTP/1.1 answer the first request with 404. A host that has
///     answered may be asked by many at once.
/// - Throws: the errors of `body`, `MisbehavingError`, or an error of NIO's if there are no ports.
package func withAttacks<Result: Sendable>(
  _ attacks: [Attack], in folder: String, afterOneAnswer answersOnce: Bool = false,
  _ body: ([AttackSite]) async throws -> Result
) async throws -> Result {
  let authority = "\(folder)/certificate.pem"
  let certificate = try ServerCertificate(for: "IP:127.0.0.1")
  try certificate.write(to: authority)
  return try await withThrowingTaskGroup(of: Void.self) { group in
    defer { group.cancelAll() }
    var sites: [AttackSite] = []
    for attack in attacks {
      let opened = try await attack.means.open(with: certificate, answersOnce)
      let options = ["--ca-file", authority, "--allow-port", "\(opened.port)"] + opened.options
      sites.append(AttackSite(attack: attack, url: opened.url, options: options))
      group.addTask { await opened.serve() }
    }
    return try await body(sites)
  }
}

extension Attack.Means {
  /// `serve` runs until it is cancelled.
  fileprivate typealias Opened = (
    url: String, port: Int, options: [String], serve: @Sendable () async -> Void
  )

  fileprivate func open(
    with certificate: borrowing ServerCertificate, _ answersOnce: Bool
  ) async throws -> Opened {
    switch self {
    case .http(let behaviour, let burden):
      let tls = try TLSServerContext(certificate, speaking: .http1, sending: burden)
      return try await Self.open(behaviour, tls, answersOnce)
    case .plain(let behaviour): return try await Self.open(behaviour, nil, answersOnce)
    case .stalledHandshake:
      let server = try await HostileServer()
      return (server.stallingTLSURL(), server.port, [], { await server.serve() })
    case .http2(let behaviour):
      let photo = Attack.photoStart + Array(repeating: 0, count: 20_000)
      let tls = try TLSServerContext(certificate, speaking: .http2)
      let server = try await HTTP2Server(behaviour, photo: photo, tls: tls)
      return (server.url, server.port, [], { await server.serve() })
    case .silentNameServer:
      let socket = try await DatagramBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .bind(host: "127.0.0.1", port: 0).get()
      let options = ["--name-servers", "127.0.0.1:\(socket.localAddress?.port ?? 0)"]
      return (
        "https://media.example/photo.jpg", 443, options,
        {
          while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
          socket.close(promise: nil)
        }
      )
    }
  }

  private static func open(
    _ behaviour: Behaviour, _ tls: TLSServerContext?, _ answersOnce: Bool
  ) async throws -> Opened {
    let server = try await HostileServer(tls: tls)
    let served =
      answersOnce ? .failing(first: 1, by: .serve(Response(status: 404)), then: behaviour) : behaviour
    return (server.url(served), server.port, [], { await server.serve() })
  }
}
