internal import NIOHTTP1

/// What a route is asked.
package struct Request: Sendable {
  let head: HTTPRequestHead
  /// All of it, held once.
  package let body: [UInt8]

  /// Path and query, as they were sent.
  package var target: String { head.uri }
  /// In their order.
  package var fields: [(name: String, value: String)] { head.headers.map { ($0.name, $0.value) } }

  /// The value of the first field of this name, whatever its case.
  package func value(of name: String) -> String? { head.headers.first(name: name) }
}

/// What a route answers. `Server`, `Content-Type` and `Content-Length` are added.
package struct Response: Sendable {
  /// Of HTTP (RFC 9110 section 15).
  let status: Int
  let contentType: String?
  /// `Connection: close` among them ends the connection.
  var fields: [(name: String, value: String)]
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

/// Why a request comes to no route.
struct Refusal: Error {
  let response: Response

  init(_ status: Int, _ text: String, _ fields: [(name: String, value: String)] = []) {
    var response = Response.page("\(text)\n", status: status)
    response.fields += fields
    self.response = response
  }
}
