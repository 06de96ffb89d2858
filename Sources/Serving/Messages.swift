internal import NIOCore
internal import NIOHTTP1
package import Supporting

/// A request, as its route gets it.
package struct Request: Sendable {
  let head: HTTPRequestHead
  package let body: [UInt8]
  let origin: SocketAddress?

  /// The address that it came from, which may be that of a proxy.
  package var peer: IPAddress? { unsafe origin?.withSockAddr { address, _ in unsafe IPAddress(address) } }
  /// The path and query, as they were sent.
  package var target: String { head.uri }
  /// In their order, with their names as they were sent.
  package var fields: [(name: String, value: String)] { head.headers.map { ($0.name, $0.value) } }
  /// The value of the first field of this name, whatever its case.
  package func value(of name: String) -> String? { head.headers.first(name: name) }
}

/// A route's answer. The server adds `Server`, `Content-Type` and `Content-Length`.
package struct Response: Sendable {
  let status: Int
  let contentType: String?
  /// If they include `Connection: close`, the connection ends after this answer.
  let fields: [(name: String, value: String)]
  let body: [UInt8]

  package init(
    status: Int = 200, _ body: [UInt8] = [], as contentType: String? = nil,
    fields: [(name: String, value: String)] = []
  ) {
    self.status = status
    self.contentType = contentType
    self.fields = fields
    self.body = body
  }

  var closes: Bool { fields.contains { $0 == ("Connection", "close") } }
}

extension Response {
  /// A page for the people and programs that monitor this program. It ends the connection. Its Content
  /// Security Policy lets a browser do next to nothing with it.
  /// - Parameter nonce: allows the style and the script that carry it; nil if the page has none.
  package static func page(
    _ body: [UInt8], status: Int = 200, as contentType: String = "text/plain; charset=utf-8",
    nonce: String? = nil, fields: [(name: String, value: String)] = []
  ) -> Response {
    let closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    let scripts = nonce.map {
      "; connect-src 'self'; img-src data:; script-src 'nonce-\($0)'; style-src 'nonce-\($0)'"
    }
    return Response(
      status: status, body, as: contentType,
      fields: [
        ("Cache-Control", "no-store"), ("Content-Security-Policy", closed + (scripts ?? "")),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Connection", "close"),
      ] + fields)
  }

  package static func page(
    _ text: String, status: Int = 200, as contentType: String = "text/plain; charset=utf-8"
  ) -> Response { page(Array(text.utf8), status: status, as: contentType) }
}
