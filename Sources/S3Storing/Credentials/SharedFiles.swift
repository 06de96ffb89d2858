internal import Glibc

/// `~/.aws/credentials` and `~/.aws/config`, and the profile to use
/// (https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html).
struct SharedFiles {
  private static let variables = [
    "credentials": "AWS_SHARED_CREDENTIALS_FILE", "config": "AWS_CONFIG_FILE",
  ]

  let credentialsPath, configPath: String
  let profileName: String
  /// Whether the environment names this profile.
  let isProfileNamed: Bool
  private let environment: [String: String]

  var paths: [String] { [credentialsPath, configPath] }

  /// - Parameter environment: without empty variables.
  init(_ environment: [String: String]) {
    func path(_ name: String) -> String {
      let path = Self.variables[name].flatMap { environment[$0] } ?? "~/.aws/\(name)"
      return path.hasPrefix("~/") ? (environment["HOME"] ?? "") + path.dropFirst() : path
    }
    (credentialsPath, configPath) = (path("credentials"), path("config"))
    let given = environment["AWS_PROFILE"] ?? environment["AWS_DEFAULT_PROFILE"]
    (profileName, isProfileNamed) = (given ?? "default", given != nil)
    self.environment = environment
  }

  /// The keys of the profile in both files. Blocks on the disk.
  func read() throws(CredentialError) -> (credentials: [String: String], config: [String: String]) {
    let sections = ["profile \(profileName)"] + (profileName == "default" ? [profileName] : [])
    return (
      try keys(of: [profileName], in: "credentials", at: credentialsPath),
      try keys(of: sections, in: "config", at: configPath)
    )
  }

  private func keys(
    of sections: [String], in name: String, at path: String
  ) throws(CredentialError) -> [String: String] {
    let isNamed = isProfileNamed || Self.variables[name].map { environment[$0] != nil } ?? false
    do throws(CredentialError) {
      let text = try CredentialFile.contents(path, maximum: 1_048_576, for: .sharedFiles)
      return text.map { Self.keys(of: sections, in: $0) } ?? [:]
    } catch .unreadableFile(_, _, let code) where !isNamed && [EACCES, EPERM].contains(code) {
      // HOME may be another user's, as with a numeric user in a container, or be hidden (ProtectHome= of systemd).
      return [:]
    }
  }

  /// The keys of all `sections`, in lower case. The last value counts.
  private static func keys(of sections: [String], in text: String) -> [String: String] {
    var keys: [String: String] = [:]
    var isInside = false
    for line in text.split(whereSeparator: \.isNewline) {
      // An indented line belongs to the value before it, as in the settings of `s3`.
      guard let first = line.first, !first.isWhitespace, !"#;".contains(first) else { continue }
      if first == "[" {
        let words = line.dropFirst().prefix { $0 != "]" }.split(whereSeparator: \.isWhitespace)
        isInside = sections.contains(words.joined(separator: " "))
      } else if isInside {
        let name = line.prefix { $0 != "=" }
        // A comment may follow a space.
        let value = line.dropFirst(name.count + 1).split(whereSeparator: \.isWhitespace).first
        let key = name.split(whereSeparator: \.isWhitespace).joined().lowercased()
        if let value { keys[key] = String(value) }
      }
    }
    return keys
  }
}
