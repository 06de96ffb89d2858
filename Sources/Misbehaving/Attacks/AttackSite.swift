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
