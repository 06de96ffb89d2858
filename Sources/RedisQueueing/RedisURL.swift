package import Queueing

/// `redis[s]://[[USER]:PASSWORD@]HOST[:PORT]/STREAM[?group=NAME][&password-file=PATH]`: a queue, and the
/// login.
package struct RedisURL: Equatable, Sendable {
  package let server: RedisServer
  /// The key of the stream.
  package let stream: String
  package let group: String

  static let defaultGroup = "push-enricher"

  /// Everything but the host may be percent-encoded (RFC 3986).
  /// - Parameter defaultStream: for a URL that names none.
  /// - Throws: `QueueError.urlInvalid` with what would be right.
  package init(_ text: String, defaultStream: String) throws(QueueError) {
    let invalid = QueueError.urlInvalid(
      text.withoutPassword, right: "redis://HOST/\(defaultStream)?group=\(Self.defaultGroup)")
    guard let slashes = text.firstRange(of: "://") else { throw invalid }
    let scheme = text[..<slashes.lowerBound].lowercased()
    let (front, query) = Self.cut(text[slashes.upperBound...], at: "?")
    let (authority, path) = Self.cut(front, at: "/")
    let parameters = try Self.parameters(query ?? "", else: invalid)
    let stream = path.flatMap { $0.isEmpty ? nil : $0 }.map { $0.percentDecoded } ?? defaultStream
    guard ["redis", "rediss"].contains(scheme),
      let server = RedisServer(
        isSecure: scheme == "rediss", authority: authority, passwordFile: parameters["password-file"]),
      let stream
    else { throw invalid }
    self.server = server
    self.stream = stream
    group = parameters["group"] ?? Self.defaultGroup
  }

  /// Whether both lead to the same messages, whatever the login.
  package func isSameStream(as other: RedisURL) -> Bool {
    server.host.isSameHost(as: other.server.host)
      && (server.port, stream) == (other.server.port, other.stream)
  }

  /// The values of `a=b&c=d`, by their names. An unknown one is a mistake, and ignoring it would hide that.
  private static func parameters(
    _ query: Substring, else invalid: QueueError
  ) throws(QueueError) -> [String: String] {
    var values: [String: String] = [:]
    for parameter in query.split(separator: "&") {
      let (name, value) = cut(parameter, at: "=")
      guard ["group", "password-file"].contains(name), values[String(name)] == nil,
        let value = value?.percentDecoded, !value.isEmpty
      else { throw invalid }
      values[String(name)] = value
    }
    return values
  }

  /// The text before the first `separator`, and the text behind it, if there is one.
  private static func cut(_ text: Substring, at separator: Character) -> (Substring, Substring?) {
    guard let index = text.firstIndex(of: separator) else { return (text, nil) }
    return (text[..<index], text[text.index(after: index)...])
  }
}
