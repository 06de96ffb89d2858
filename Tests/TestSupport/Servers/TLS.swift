package import Misbehaving

/// Runs `body` with a certificate for `localhost`, `127.0.0.1`, `::1` and `media.example`, and with
/// its file for `--ca-file`.
package func withTLS<Result: Sendable>(
  speaking protocol: TLSServerContext.ApplicationProtocol, sending burden: TLSBurden = .none,
  _ body: (_ context: TLSServerContext, _ caFile: String) async throws -> Result
) async throws -> Result {
  try await withTemporaryDirectory { folder in
    let file = folder.path(of: "certificate.pem")
    let certificate = try ServerCertificate(
      for: "DNS:localhost,DNS:media.example,IP:127.0.0.1,IP:::1")
    try certificate.write(to: file)
    return try await body(
      TLSServerContext(certificate, speaking: `protocol`, sending: burden), file)
  }
}

/// Runs `body` with an HTTP/2 server that has the fixtures' photo, and with its certificate.
package func withHTTP2Server<Result: Sendable>(
  _ behaviour: HTTP2Behaviour, _ body: (HTTP2Server, _ caFile: String) async throws -> Result
) async throws -> Result {
  let photo = try Files.read("\(Fixtures.media)/photo.jpg")
  return try await withTLS(speaking: .http2) { tls, caFile in
    try await withHTTP2Server(behaviour, photo: photo, tls: tls) { try await body($0, caFile) }
  }
}

extension TLSBurden {
  /// A burden of each kind, close to the most that is accepted.
  package static let bearable = [
    certificate(units: 2_500), authorities(8_000), newKeys(8), ticket(bytes: 2_000),
  ]
}
