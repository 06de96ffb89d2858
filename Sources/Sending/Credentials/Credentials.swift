/// How a connection shows APNs who sends.
enum Credentials: Sendable {
  /// In a header of each push.
  case token(ProviderToken)
  /// In TLS.
  case certificate(ClientCertificate)
}
