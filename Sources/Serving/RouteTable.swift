internal import NIOCore
internal import NIOHTTP1
internal import Supporting

/// Finds the route for a request, or the reason to refuse it.
struct RouteTable: Sendable {
  let routes: [Route]
  let hosts: HostRule

  /// Called with the head of a request, before its body arrives.
  func route(for head: HTTPRequestHead, from origin: SocketAddress?) throws(Refusal) -> Route {
    let (host, path) = head.place
    guard hosts.admits(host) else {
      throw Refusal(421, "use this server's own address: the request names another host")
    }
    // Compares bytes: comparing a stranger's text as strings may take long.
    let here = routes.filter { $0.path.utf8.elementsEqual(path) }
    guard !here.isEmpty else {
      throw Refusal(404, "no such path: try \(Set(routes.map(\.path)).sorted().joined(separator: ", "))")
    }
    let method = head.method == .HEAD ? "GET" : head.method.rawValue
    guard let route = here.first(where: { $0.method.rawValue == method }) else {
      throw Refusal(
        405, "use \(here.map(\.method.rawValue).joined(separator: " or "))",
        [("Allow", here.map(\.method.allowed).joined(separator: ", "))])
    }
    guard route.access.admits(head.headers.first(name: "Authorization")) else {
      throw Refusal(401, "send the token: Authorization: Bearer …", [("WWW-Authenticate", "Bearer")])
    }
    guard head.bodyLength <= route.bodyLimit else { throw .tooLarge(for: route) }
    // The decoder handles no transfer coding but chunked (RFC 9112 section 6.1).
    guard head.headers[canonicalForm: "Transfer-Encoding"].allSatisfy({ $0.lowercased() == "chunked" }) else {
      throw Refusal(501, "only the transfer coding chunked is supported")
    }
    guard head.expectation.allSatisfy({ $0 == "100-continue" }) else {
      throw Refusal(417, "only the expectation 100-continue is supported")
    }
    if let response = route.refusal(Request(head: head, body: [], origin: origin)) { throw Refusal(response) }
    return route
  }
}

extension HTTPRequestHead {
  /// The same without the spaces and tabs after values, which the decoder leaves there (RFC 9112 section 5).
  var trimmed: HTTPRequestHead {
    var head = self
    head.headers = HTTPHeaders(headers.map { ($0.name, $0.value.trimmingSpaces) })
    return head
  }

  /// The host and the path of the request, without the query. If the target is like `http://HOST/PATH`, its host
  /// counts, and not the field (RFC 9112 section 3.2.2).
  var place: (host: String?, path: Substring.UTF8View) {
    let target = uri.utf8.prefix { $0 != UInt8(ascii: "?") }
    let scheme = target.prefix { $0 != UInt8(ascii: "/") }
    guard ["http:", "https:"].contains(where: { $0.utf8.elementsEqual(scheme.map(\.lowercasedASCII)) }),
      target.dropFirst(scheme.count).starts(with: "//".utf8)
    else { return (headers.first(name: "Host"), target) }
    let rest = target.dropFirst(scheme.count + 2)
    let host = rest.prefix { $0 != UInt8(ascii: "/") }
    let path = rest.dropFirst(host.count)
    return (String(decoding: host, as: UTF8.self), path.isEmpty ? Substring("/").utf8 : path)
  }

  /// Its length in bytes, as most clients write it: `METHOD TARGET HTTP/1.1`, lines `NAME: VALUE`, and an empty one.
  var length: Int {
    headers.reduce(method.rawValue.utf8.count + uri.utf8.count + 14) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 4
    }
  }

  /// The announced length of the body, in bytes. 0 if none is announced, as with chunks.
  var bodyLength: Int { headers.first(name: "Content-Length").map { Int($0) ?? .max } ?? 0 }
  /// What the server must confirm before the client sends the body (RFC 9110 section 10.1.1).
  var expectation: [String] { version == .http1_1 ? headers["Expect"].map { $0.lowercased() } : [] }
}
