internal import Notifications
internal import Supporting

/// The credentials that requests are signed with.
struct Credentials: Equatable, Sendable {
  let accessKey: String
  let secretKey: String
  /// The header `x-amz-security-token` of temporary credentials.
  var sessionToken: String?
  /// When they expire, in seconds since 1970. Nil if they never do.
  var end: Int64?
}

/// Logs and failed tests show no secret.
extension Credentials: CustomStringConvertible, CustomDebugStringConvertible {
  var description: String { "credentials" }
  var debugDescription: String { description }
}

extension Credentials {
  /// Longer texts would not fit into a header.
  private static let longest = 8_192

  /// Checks that each text may be put into a header.
  /// - Parameter end: a date and time of RFC 3339.
  /// - Returns: nil if one may not, if the key or the secret is missing, or if the end is not a time.
  init?(checkedKey accessKey: String?, secret: String?, token: String?, end: String?) {
    let token = token?.isEmpty == true ? nil : token
    guard let accessKey, let secret, [accessKey, secret, token ?? "-"].allSatisfy(Self.isHeaderText) else {
      return nil
    }
    self.init(accessKey: accessKey, secretKey: secret, sessionToken: token)
    guard let end else { return }
    // Without a valid end, they would never be renewed.
    guard let time = WallClock.milliseconds(of: end) else { return nil }
    self.end = time / 1_000
  }

  /// Reads the JSON object that services for containers and instances send.
  init?(json: [UInt8]) {
    guard let root = try? JSONDocument(json, maximumDepth: 8).root else { return nil }
    func text(_ name: String) -> String? { root.given(name)?.string }
    if root.given("Expiration") != nil, text("Expiration") == nil { return nil }
    self.init(
      checkedKey: text("AccessKeyId"), secret: text("SecretAccessKey"), token: text("Token"),
      end: text("Expiration"))
  }

  /// Whether the text is neither empty nor too long and has only visible ASCII characters.
  static func isHeaderText(_ text: String) -> Bool {
    1...longest ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
  }
}
