/// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, and for temporary credentials `AWS_SESSION_TOKEN`.
struct EnvironmentCredentials: CredentialSource {
  static let place = CredentialPlace.environment

  private let credentials: Credentials

  init?(_ environment: [String: String], region: String) throws(CredentialError) {
    let (key, secret) = (environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"])
    if key == nil, secret == nil { return nil }
    guard let key, let secret else {
      throw .incomplete(Self.place, missing: key == nil ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY")
    }
    let token = environment["AWS_SESSION_TOKEN"]
    for (name, value) in [
      ("ACCESS_KEY_ID", key), ("SECRET_ACCESS_KEY", secret), ("SESSION_TOKEN", token ?? "-"),
    ]
    where !Credentials.isHeaderText(value) {
      throw .unusableVariable(
        Self.place, name: "AWS_\(name)",
        rule: "it has only visible ASCII characters, without spaces and line breaks")
    }
    credentials = Credentials(accessKey: key, secretKey: secret, sessionToken: token)
  }

  func fetch(_ means: CredentialMeans) async throws(CredentialError) -> Credentials { credentials }
}
