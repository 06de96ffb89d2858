internal import NIOHTTP1

/// All that a server answers to.
struct RouteTable: Sendable {
  let routes: [Route]
  let hosts: HostRule

  /// The route of a request, before its body has come.
  func route(for head: HTTPRequestHead) throws(Refusal) -> Route {
    guard hosts.admits(head.headers.first(name: "Host")) else {
      throw Refusal(421, "ask for it by the address that it is served at: this is not that host")
    }
    // By bytes: a stranger's text may take long to compare.
    let path = head.uri.utf8.prefix { $0 != UInt8(ascii: "?") }
    let here = routes.filter { $0.path.utf8.elementsEqual(path) }
    guard !here.isEmpty else {
      throw Refusal(404, "there are \(Set(routes.map(\.path)).sorted().joined(separator: ", "))")
    }
    let method = head.method == .HEAD ? "GET" : head.method.rawValue
    guard let route = here.first(where: { $0.method.rawValue == method }) else {
      throw Refusal(
        405, "ask for it with \(here.map(\.method.rawValue).joined(separator: " or "))",
        [("Allow", here.map(\.method.allowed).joined(separator: ", "))])
    }
    guard route.access.admits(head.headers.first(name: "Authorization")) else {
      throw Refusal(401, "show the token: Authorization: Bearer …", [("WWW-Authenticate", "Bearer")])
    }
    guard head.bodyLength <= route.bodyLimit else { throw .tooLarge(for: route) }
    // The decoder takes chunks apart, and nothing else (RFC 9112 section 6.1).
    guard head.headers[canonicalForm: "Transfer-Encoding"].allSatisfy({ $0.lowercased() == "chunked" }) else {
      throw Refusal(501, "send the body as it is, or in chunks")
    }
    guard head.expectation.allSatisfy({ $0 == "100-continue" }) else {
      throw Refusal(417, "there is no expectation but 100-continue")
    }
    return route
  }
}

extension HTTPRequestHead {
  /// The announced length of the body, in bytes: 0 for chunks.
  var bodyLength: Int { headers.first(name: "Content-Length").map { Int($0) ?? .max } ?? 0 }
  /// What the client waits for before it sends the body (RFC 9110 section 10.1.1).
  var expectation: [String] { version == .http1_1 ? headers["Expect"].map { $0.lowercased() } : [] }
}
