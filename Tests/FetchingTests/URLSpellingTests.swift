@testable import Fetching
import Misbehaving
import TestSupport
import Testing

/// The request line as it is on the wire, and what servers do with it.
@Suite("URLs on the wire", .timeLimit(.minutes(5)))
struct URLSpellingTests {
  private static let picture = Behaviour.serve(Response(.bytes([1, 2, 3]), as: "image/jpeg"))

  @Test(
    "a URL is percent-encoded in the request line",
    arguments: [
      ("a b|{c}.jpg?d e=\u{fc}", "a%20b%7C%7Bc%7D.jpg?d%20e=%C3%BC"),
      ("100%.jpg?a=%zz", "100%25.jpg?a=%25zz"),
      ("a%2fb%7c+c?d+e[]=1", "a%2fb%7c+c?d+e%5B%5D=1"), ("a.jpg\u{a0}\u{200b} \n", "a.jpg"),
    ])
  func encoded(file: String, target: String) async throws {
    try await withHostileServer { server in
      let fetch = try await server.fetch(server.url(Self.picture, file: "") + file)
      #expect(fetch.steps == [Step(200)])
      #expect(server.requests(for: Self.picture).map { $0.target.hasSuffix("/" + target) } == [true])
    }
  }

  @Test("a Latin-1 byte in a location is sent as that byte, and UTF-8 as it is")
  func latin1() async throws {
    try await withHostileServer { server in
      let path = server.url(Self.picture, file: "")
      let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: \(path)gr".utf8)
      for (bytes, escaped) in [([0xfc] as [UInt8], "%FC"), ([0xc3, 0xbc], "%C3%BC")] {
        let redirect = Behaviour.raw(head + bytes + Array("n x\r\n\r\n".utf8))
        let fetch = try await server.fetch(server.url(redirect))
        #expect(fetch.steps == [Step(302), Step(200)])
        #expect(server.requests(for: Self.picture).last?.target.hasSuffix("/gr\(escaped)n%20x") == true)
      }
    }
  }

  @Test(
    "a Content-Encoding that names no coding changes nothing",
    arguments: ["aws-chunked", "UTF-8", "none", "binary", "8bit", "image/jpeg", "identity, utf-8"])
  func noCoding(value: String) async throws {
    try await withHostileServer { server in
      let fields = [Response.Field("Content-Encoding", value)]
      let fetch = try await server.fetch(server.url(.serve(Response(.bytes([1, 2]), fields: fields))))
      #expect(fetch.steps == [Step(200)])
      #expect(fetch.body == [1, 2])
    }
  }

  @Test("redirects that need a cookie are told apart")
  func cookieLoop() async throws {
    try await withHostileServer { server in
      let loop = Response(status: 302, fields: [.init("Location", "?"), .init("Set-Cookie", "a=b")])
      let fetch = try await server.fetch(server.url(.serve(loop)))
      #expect(fetch.failure == .redirectNeedsCookie)
    }
  }

  @Test("changes in a URL are reported")
  func repairs() {
    #expect(RemoteURL.repairs(of: "https://a.example/b") == nil)
    #expect(
      RemoteURL.repairs(of: " https://a.example/b c&amp;d\n")
        == "the blanks around it are left out; percent-encoded, it is https://a.example/b%20c&amp;d; "
        + RemoteURL.escapedAmpersand)
  }
}
