/// How a connection shows APNs who sends.
enum Credentials: Sendable {
  case token(ProviderToken)
  case certificate(ClientCertificate)
}
