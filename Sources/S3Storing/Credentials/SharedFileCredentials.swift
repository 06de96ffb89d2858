/// A profile of the shared files that has keys.
struct SharedFileCredentials: CredentialSource {
  static let place = CredentialPlace.sharedFiles
  /// Keys of profiles whose credentials come from elsewhere.
  private static let unsupported = [
    "credential_process", "sso_session", "sso_start_url", "sso_account_id", "web_identity_token_file",
    "login_session",
  ]

  private let credentials: Credentials

  static func files(_ environment: [String: String]) -> [String] { SharedFiles(environment).paths }

  init?(_ environment: [String: String], region: String) throws(CredentialError) {
    let files = SharedFiles(environment)
    let name = files.profileName
    let read = try files.read()
    // Keys of the first file take precedence over those of the second one.
    let profile = read.credentials.merging(read.config) { first, _ in first }
    if profile["role_arn"] != nil { throw .unsupportedProfile(name, key: "role_arn") }
    let (key, secret) = (profile["aws_access_key_id"], profile["aws_secret_access_key"])
    if key == nil, secret == nil {
      if let key = Self.unsupported.first(where: { profile[$0] != nil }) {
        throw .unsupportedProfile(name, key: key)
      }
      // A profile that nobody has named may be missing, or may have only a region.
      guard files.isProfileNamed else { return nil }
      throw .noProfile(name, paths: files.paths)
    }
    guard let key, let secret else {
      throw .incomplete(Self.place, missing: key == nil ? "aws_access_key_id" : "aws_secret_access_key")
    }
    guard
      let credentials = Credentials(
        checkedKey: key, secret: secret, token: profile["aws_session_token"], end: nil)
    else {
      throw .unusableFile(
        Self.place, path: files.credentialsPath, rule: "its keys have only visible ASCII characters")
    }
    self.credentials = credentials
  }

  func fetch(_ means: CredentialMeans) async throws(CredentialError) -> Credentials { credentials }
}
