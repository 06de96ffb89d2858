internal import Supporting

/// Why a fetch failed. Enriching maps each case to a documented reason. Indirect: see `TaskPool`.
package indirect enum FetchError: Error, Equatable, Sendable {
  case urlInvalid(detail: String)
  case schemeNotAllowed(String)
  case downgradeNotAllowed
  case portNotAllowed(Int)
  case addressBlocked(address: String, purpose: String)
  case addressDenied(address: String, network: String)
  /// `isTransient` is false if, for example, the name servers said that the host has no address.
  case dnsFailed(host: String, detail: String, isTransient: Bool)
  case connectFailed(detail: String, isTransient: Bool)
  case tlsFailed(detail: String)
  /// `retryAfter` is in seconds (RFC 9110 section 10.2.3).
  case httpStatus(Int, retryAfter: Int?)
  case responseInvalid(detail: String)
  case redirectLimit(maximum: Int)
  /// The redirects led back to an earlier URL and set a cookie, which is not sent.
  case redirectNeedsCookie
  /// `maximum` is in bytes, for headers, informational responses, and trailers together.
  case headersTooLarge(maximum: Int)
  /// `announced` is the Content-Length if it alone exceeded the limit.
  case bodyTooLarge(maximum: Int, announced: Int?)
  case bodyTruncated(received: Int, announced: Int?)
  case hostUnhealthy(host: String, HostRefusal)
  case encodingNotAllowed(field: String, String)
  /// The consumer of the body stopped the fetch, and knows why.
  case stopped
  case cancelled
  case resourcesExhausted(detail: String)
  case openFilesExhausted

  var isTransient: Bool {
    switch self {
    case .dnsFailed(_, _, let isTransient), .connectFailed(_, let isTransient): isTransient
    // Servers also send 408 when they close an idle connection, and the next request may be on its
    // way by then (RFC 9110 section 15.5.9).
    case .httpStatus(let status, let retryAfter):
      [408, 502, 503, 504].contains(status) || status == 429 && retryAfter != nil
    case .bodyTruncated: true
    default: false
    }
  }

  /// Whether the payload goes back to its queue because the host cannot serve it now.
  package var goesBack: Bool { if case .hostUnhealthy(_, .busy) = self { true } else { false } }
}

extension FetchError: CustomStringConvertible {
  package static let noScheme = urlInvalid(detail: "it has no scheme: a media URL starts with https://")
  static let noMemoryForTransfer = resourcesExhausted(detail: "no memory for a transfer")
  static let libcurlDidNotStart = resourcesExhausted(detail: "libcurl did not start")
  static let noDescriptor = resourcesExhausted(detail: "no file descriptor left")

  package var description: String {
    switch self {
    case .urlInvalid(let detail): "this URL cannot be fetched: \(detail)"
    case .schemeNotAllowed(let scheme): "'\(scheme)' is not fetched"
    case .downgradeNotAllowed:
      "a redirect leads from https to http, which is followed only with --allow-downgrade"
    case .portNotAllowed(let port): "connections to port \(port) are not allowed"
    case .addressBlocked(let address, let purpose): "\(address) is not on the public internet (\(purpose))"
    case .addressDenied(let address, let network): "\(address) is in \(network), which --deny-network closes"
    case .dnsFailed(let host, let detail, _): "\(host) was not resolved: \(detail)"
    case .connectFailed(let detail, _), .tlsFailed(let detail), .resourcesExhausted(let detail): detail
    case .httpStatus(let status, let seconds?) where seconds > 0:
      "the server answered \(status) and asks to come back in \(seconds) s"
    case .httpStatus(let status, _): "the server answered \(status)"
    case .responseInvalid(let detail): "the server's answer is not valid HTTP: \(detail)"
    case .openFilesExhausted: "too many files and sockets are open"
    case .redirectLimit(let maximum): "more than \(maximum) redirects"
    case .redirectNeedsCookie:
      "the server sets a cookie and redirects to the same URL again, and cookies are not sent"
    case .headersTooLarge(let maximum): "more than \(maximum.asBytes) of headers"
    case .bodyTooLarge(let maximum, let announced?):
      "\(announced.asBytes) are announced, but iOS accepts at most \(maximum.asBytes) of anything"
    case .bodyTooLarge(let maximum, nil):
      "more than \(maximum.asBytes), the most that iOS accepts of anything"
    case .bodyTruncated(let received, let announced?):
      "the body ended after \(received) of \(announced) bytes"
    case .bodyTruncated(let received, nil):
      "the connection ended after \(received) bytes, and nothing shows that this is the whole body"
    case .hostUnhealthy(let host, let refusal): "\(host) \(refusal)"
    case .encodingNotAllowed(let field, let encoding): "the server sent \(field) '\(encoding)'"
    case .stopped, .cancelled: "it was given up before it was complete"
    }
  }
}
