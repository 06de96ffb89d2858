internal import CCurl
internal import Supporting

/// Its scheme and authority are as libcurl's own parser reads them: nobody has another opinion on its host.
package struct RemoteURL: Sendable, Equatable {
  package enum Scheme: String, Sendable {
    case https, http

    var port: String { self == .https ? "443" : "80" }
  }

  /// In bytes: RFC 9110 section 4.1 asks servers to take as many.
  static let maximumLength = 8_000
  /// Bytes that people see: the whole host, and some of the rest.
  private static let shownLength = 300

  let root: URLRoot
  /// The request target in origin form, a path and perhaps a query (RFC 9112 section 3.2.1).
  let target: String

  /// The URL as it is asked for: no fragment, host in ASCII, spaces and non-ASCII characters percent-encoded.
  package var text: String { root.text + target }

  package var scheme: Scheme { root.scheme }
  /// In ASCII (RFC 5890 A-labels), numeric IPv4 spellings as dotted decimal, IPv6 without brackets.
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

  /// Reads `text`, against `base` if it is a relative reference (RFC 3986 section 5).
  /// - Throws: `FetchError.urlInvalid`, `.schemeNotAllowed`, `.resourcesExhausted`.
  package init(_ text: String, relativeTo base: RemoteURL? = nil) throws(FetchError) {
    guard text.utf8.count <= Self.maximumLength else {
      throw .urlInvalid(detail: "it is longer than \(Self.maximumLength) bytes")
    }
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      throw .urlInvalid(detail: "it has control characters in it")
    }
    if let failure = LibcurlSetup.failure { throw failure }
    let parts = try URLParts(text, relativeTo: base?.text)
    let root = try URLRoot(of: parts)
    // libcurl may read a host that it has decoded or mapped as something else: a number is an address then.
    self.root = text.utf8.starts(with: root.text.utf8) ? root : try URLRoot(of: URLParts(root.text))
    let path = try parts.get(CURLUPART_PATH) ?? "/"
    let query = try parts.get(CURLUPART_QUERY) ?? ""
    target = query.isEmpty ? path : "\(path)?\(query)"
  }

  var beginning: String {
    let text = self.text
    return text.utf8.count <= Self.shownLength ? text : text.beginning(Self.shownLength) + "…"
  }
}
