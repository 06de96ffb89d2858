extension Response {
  /// A page for the people and programs that monitor this one. It ends the connection: who asks every few
  /// seconds needs none in between. A browser may do next to nothing with it (Content Security Policy).
  /// - Parameter nonce: of the style and the script that the browser runs, if there are any.
  package static func page(
    _ bytes: [UInt8], status: Int = 200, as contentType: String = "text/plain; charset=utf-8",
    nonce: String? = nil
  ) -> Response {
    let scripts = nonce.map {
      "; connect-src 'self'; img-src data:; script-src 'nonce-\($0)'; style-src 'nonce-\($0)'"
    }
    let closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return Response(
      status: status, bytes, as: contentType,
      fields: [
        ("Cache-Control", "no-store"), ("Content-Security-Policy", closed + (scripts ?? "")),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Connection", "close"),
      ])
  }

  package static func page(
    _ text: String, status: Int = 200, as contentType: String = "text/plain; charset=utf-8"
  ) -> Response {
    page(Array(text.utf8), status: status, as: contentType)
  }
}
