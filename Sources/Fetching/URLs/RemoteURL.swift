internal import CCurl
internal import Supporting

/// A URL whose scheme and host are exactly those that libcurl's own parser reads.
package struct RemoteURL: Sendable, Equatable {
  package enum Scheme: String, Sendable {
    case https, http
    var port: Int { self == .https ? 443 : 80 }
  }

  /// In bytes. RFC 9110 section 4.1 asks servers to accept this length.
  package static let maximumLength = 8_000

  private static let tooLong = FetchError.urlInvalid(detail: "it is longer than \(maximumLength) bytes")

  let root: URLRoot
  /// Path and query (origin form, RFC 9112 section 3.2.1).
  let target: String

  /// As requested: no fragment, ASCII host, spaces and non-ASCII characters percent-encoded.
  package var text: String { root.text + target }
  package var scheme: Scheme { root.scheme }
  /// In ASCII (RFC 5890 A-labels). IPv4 is dotted decimal, IPv6 without brackets.
  package var host: String { root.host }
  package var port: Int { root.port }
  var origin: Origin { root.origin }

  init(root: URLRoot, target: String) {
    self.root = root
    self.target = target
  }

  package static func == (one: RemoteURL, other: RemoteURL) -> Bool {
    one.root.text == other.root.text && one.target == other.target
  }

  /// Parses `text`, relative to `base` if it is a relative reference (RFC 3986 section 5).
  /// - Throws: `FetchError.urlInvalid`, `.schemeNotAllowed`, `.resourcesExhausted`.
  package init(_ text: String, relativeTo base: RemoteURL? = nil) throws(FetchError) {
    let text = text.withoutBlanksAround
    guard text.utf8.count <= Self.maximumLength else { throw Self.tooLong }
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      throw .urlInvalid(detail: "it has control characters in it")
    }
    if let failure = LibcurlSetup.failure { throw failure }
    let parts = try URLParts(text.percentEncodingTarget, relativeTo: base?.text)
    let root = try URLRoot(of: parts)
    // If libcurl decoded or mapped the host, parse the result again: a number becomes an address.
    self.root = text.utf8.starts(with: root.text.utf8) ? root : try URLRoot(of: URLParts(root.text))
    let path = try parts.get(CURLUPART_PATH) ?? "/"
    let query = try parts.get(CURLUPART_QUERY) ?? ""
    target = query.isEmpty ? path : "\(path)?\(query)"
    // Percent-encoding makes it longer, and so does each relative redirect.
    guard self.root.text.utf8.count + target.utf8.count <= Self.maximumLength else {
      throw Self.tooLong
    }
  }

  /// For people to read: the whole host, and the beginning of the rest.
  var beginning: String {
    let text = text
    return text.utf8.count <= 300 ? text : text.beginning(300) + "…"
  }
}
