internal import Storing

/// A request to one of the operator's services: the object store, or a service that gives credentials for it.
struct HTTPRequest: Sendable {
  enum Body: Sendable {
    case none
    case bytes([UInt8])
    case file(SpooledFile)

    /// In bytes.
    var count: Int {
      switch self {
      case .none: 0
      case .bytes(let bytes): bytes.count
      case .file(let file): file.stored.size
      }
    }
  }

  var method = "GET"
  var url: ServiceURL
  /// Without `Host` and `Content-Length`, which the client adds.
  var headers: [HTTPField] = []
  var body = Body.none
}

/// A header field (RFC 9110 section 5).
struct HTTPField: Equatable, Sendable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// Where a request goes.
struct ServiceURL: Hashable, Sendable {
  var isSecure = true
  /// A name, an IPv4 address, or an IPv6 address without brackets.
  var host: String
  var port: Int
  /// The path and the query, percent-encoded as they are sent.
  var target = "/"

  /// The value of `Host`: with the port unless it is the scheme's own.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  var text: String { "\(isSecure ? "https" : "http")://\(authority)\(target)" }
}

struct HTTPAnswer: Sendable {
  let status: Int
  let headers: [HTTPField]
  /// The first bytes of the body, at most `HTTPClient.maximumAnswer`.
  let body: [UInt8]
  /// Whether the body had more bytes.
  var isCut = false

  /// The first field with this name.
  subscript(name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
