internal import Queueing
internal import Supporting

/// A server and the login there. Queues with the same one share a connection.
package struct RedisServer: Hashable, Sendable {
  let isSecure: Bool
  /// A name or an address; one of IPv6 without its brackets.
  let host: String
  let port: Int
  let user: String?
  let password: String?
  /// The file that the password is read from at each connection, so that it may change.
  package let passwordFile: String?

  private static let defaultPort = 6379

  /// - Parameter authority: `[[USER]:PASSWORD@]HOST[:PORT]`. The user's part ends at the last `@`.
  init?(isSecure: Bool, authority: Substring, passwordFile: String?) {
    let at = authority.lastIndex(of: "@")
    let address = at.map { authority[authority.index(after: $0)...] } ?? authority
    guard let (host, port) = Self.hostAndPort(address) else { return nil }
    var user: String?
    var password: String?
    if let credentials = at.map({ authority[..<$0] }) {
      let parts = credentials.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = parts[0].percentDecoded else { return nil }
      user = name.isEmpty ? nil : name
      if parts.count == 2 {
        guard let secret = parts[1].percentDecoded, !secret.isEmpty, passwordFile == nil else { return nil }
        password = secret
      }
    }
    // A user without a password cannot log in.
    guard user == nil || password != nil || passwordFile != nil else { return nil }
    self.isSecure = isSecure
    self.host = host
    self.port = port
    self.user = user
    self.password = password
    self.passwordFile = passwordFile
  }

  /// Nil without a login.
  /// - Throws: `QueueError.refused` for a file that cannot be read.
  var currentPassword: String? {
    get throws(QueueError) { try passwordFile.map(PasswordFile.read) ?? password }
  }

  var scheme: String { isSecure ? "rediss" : "redis" }

  /// For messages.
  var name: String { "Redis at \(host.bracketingIPv6):\(port)" }

  private static func hostAndPort(_ text: Substring) -> (host: String, port: Int)? {
    var host = text
    var port = Substring()
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      port = text[text.index(after: end)...]
      guard !host.isEmpty, host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
      else { return nil }
    } else {
      let end = text.firstIndex(of: ":") ?? text.endIndex
      host = text[..<end]
      port = text[end...]
      guard !host.isEmpty, host.utf8.allSatisfy({ isOfName($0) }) else { return nil }
    }
    if port.isEmpty { return (String(host), defaultPort) }
    guard port.first == ":", let number = UInt16(port.dropFirst()), number > 0 else { return nil }
    return (String(host), Int(number))
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || "._-".utf8.contains(byte)
  }
}
