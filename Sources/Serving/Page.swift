/// What is answered to one request.
package struct Page: Equatable, Sendable {
  /// Makes the page of a path, at each request.
  package typealias Maker = @Sendable () async -> Page

  /// What a page is, for programs.
  package enum Kind: Equatable, Sendable {
    case text
    /// Of Prometheus, version 0.0.4.
    case metrics
    case json
    /// With the source of styles and scripts that the browser runs (Content Security Policy, `'nonce-…'`),
    /// and no other.
    case html(nonce: String)

    var contentType: String {
      switch self {
      case .text: "text/plain; charset=utf-8"
      case .metrics: "text/plain; version=0.0.4; charset=utf-8"
      case .json: "application/json"
      case .html: "text/html; charset=utf-8"
      }
    }

    /// What a browser may do with it: next to nothing.
    var policy: String {
      let closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      guard case .html(let nonce) = self else { return closed }
      return
        "\(closed); connect-src 'self'; img-src data:; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'"
    }
  }

  /// Of HTTP (RFC 9110 section 15).
  package let status: Int
  package let kind: Kind
  package let text: String

  package init(status: Int = 200, _ text: String, as kind: Kind = .text) {
    self.status = status
    self.kind = kind
    self.text = text
  }
}
