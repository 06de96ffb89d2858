/// How a connection shows APNs who is sending.
enum Credentials: Sendable {
  /// In a header of each push.
  case token(ProviderToken)
  /// In the TLS handshake.
  case certificate(ClientCertificate)
}
