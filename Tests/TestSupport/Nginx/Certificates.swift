/// A certificate authority for tests and the certificates that it signs, made with the `openssl`
/// command in a folder of their own.
struct Certificates: Sendable {
  /// A certificate with its key, both as paths of PEM files.
  struct Identity: Sendable {
    let certificate: String
    let key: String
  }

  let authority: Identity
  /// For `localhost`, `127.0.0.1`, `::1` and `media.example`.
  let trusted: Identity
  /// For the same names, signed by an intermediate authority, whose certificate follows its own.
  let chained: Identity
  /// Signed by the same authority, for `elsewhere.example`.
  let wrongHost: Identity
  /// For the right names, but not signed by an authority.
  let selfSigned: Identity

  private static let authorizing = [
    "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
  ]
  private static let names = "DNS:localhost,DNS:media.example,IP:127.0.0.1,IP:::1"

  /// - Throws: `Command.Failure` if openssl fails.
  init(in folder: TemporaryDirectory) async throws {
    authority = try await Self.make("authority", in: folder, Self.authorizing)
    trusted = try await Self.make("trusted", in: folder, names: Self.names, by: authority)
    let intermediate = try await Self.make(
      "intermediate", in: folder, Self.authorizing + Self.issuing(authority))
    chained = try await Self.make("chained", in: folder, names: Self.names, by: intermediate)
    try folder.write(
      try Files.read(chained.certificate) + Files.read(intermediate.certificate), to: "chained.pem")
    wrongHost = try await Self.make("wrong-host", in: folder, names: "DNS:elsewhere.example", by: authority)
    selfSigned = try await Self.make("self-signed", in: folder, names: Self.names, by: nil)
  }

  private static func make(
    _ name: String, in folder: TemporaryDirectory, names: String, by authority: Identity?
  ) async throws -> Identity {
    try await make(
      name, in: folder,
      ["-addext", "subjectAltName=\(names)", "-addext", "basicConstraints=critical,CA:FALSE"]
        + (authority.map { issuing($0) } ?? []))
  }

  private static func issuing(_ authority: Identity) -> [String] {
    ["-CA", authority.certificate, "-CAkey", authority.key]
  }

  private static func make(
    _ name: String, in folder: TemporaryDirectory, _ extensions: [String]
  ) async throws -> Identity {
    let identity = Identity(certificate: folder.path(of: "\(name).pem"), key: folder.path(of: "\(name).key"))
    let arguments = [
      // An empty configuration: the one of the distribution would add a second basicConstraints.
      "req", "-config", "/dev/null", "-x509", "-days", "2", "-subj", "/CN=push-enricher test \(name)",
      "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", identity.key, "-out", identity.certificate,
    ]
    try await Command("openssl").runSuccessfully(arguments + extensions)
    return identity
  }
}
