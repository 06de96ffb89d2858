import Misbehaving
import Storing
import Supporting
import TestSupport
import Testing

@testable import S3Storing

@Suite("Requests to services", .timeLimit(.minutes(5)))
struct HTTPClientTests {
  @Test("a request is sent as it was made, and nothing is added but Host and Content-Length")
  func asMade() async throws {
    try await withService(reply: { connection, _ in
      try await connection.send(
        "HTTP/1.1 201 Made\r\nX-One:  a b \r\nX-Two:\r\nContent-Length: 5\r\n\r\nhello")
    }) { service in
      let client = HTTPClient(certificateFile: nil)
      let target = "/a/../b//c%2Fd?list&x=%20y=="
      let answer = try await client.send(
        HTTPRequest(
          method: "POST", url: service.url(target),
          headers: [HTTPField("X-Empty", ""), HTTPField("x-b", "1 2")],
          body: .bytes(Array("body".utf8))), within: .seconds(30))
      #expect(answer.status == 201)
      #expect(
        answer.headers == [
          HTTPField("X-One", "a b"), HTTPField("X-Two", ""), HTTPField("Content-Length", "5"),
        ])
      #expect(String(decoding: answer.body, as: UTF8.self) == "hello")
      let question = try #require(service.questions.first)
      #expect(question.body == Array("body".utf8))
      #expect(question.request.method == "POST")
      #expect(question.request.target == target)
      #expect(
        question.request.fields.map { "\($0.name): \($0.value)" } == [
          "Host: 127.0.0.1:\(service.port)", "X-Empty: ", "x-b: 1 2", "Content-Length: 4",
        ])
    }
  }

  @Test("each method has the body that it was given", arguments: ["GET", "HEAD", "PUT", "POST", "DELETE"])
  func methods(_ method: String) async throws {
    try await withService(reply: { connection, request in
      try await connection.send(
        request.method == "HEAD" ? "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" : whole("ok"))
    }) { service in
      let client = HTTPClient(certificateFile: nil)
      for _ in 0..<3 {
        let answer = try await client.send(
          HTTPRequest(method: method, url: service.url()), within: .seconds(30))
        #expect(answer.body == (method == "HEAD" ? [] : Array("ok".utf8)))
      }
      #expect(service.questions.map(\.request.method) == [method, method, method])
      let length = ["PUT", "POST"].contains(method) ? "0" : nil
      #expect(service.questions.allSatisfy { $0.request.value(of: "Content-Length") == length })
      #expect(service.connections == 1)
    }
  }

  @Test("50 MB from a spool arrive byte for byte, with and without TLS", arguments: [false, true])
  func upload(isSecure: Bool) async throws {
    try await withSpooled(bytes: 50_000_000) { file in
      try await withTLS(speaking: .http1) { tls, authority in
        try await withService(tls: isSecure ? tls : nil, reply: answered) { service in
          let client = HTTPClient(certificateFile: authority)
          let answer = try await client.send(
            HTTPRequest(method: "PUT", url: service.url("/media/key"), body: .file(file)),
            within: .seconds(60))
          #expect(answer.status == 200)
          let body = try #require(service.questions.first?.body)
          #expect(SHA256.digest(of: body.span).map { String(hexadecimal: $0.span) } == file.stored.sha256)
        }
      }
    }
  }
}

/// Runs `body` with a spooled file that has no two equal pieces.
func withSpooled<Result: Sendable>(
  bytes count: Int, _ body: (SpooledFile) async throws -> Result
) async throws -> Result {
  try await withTemporaryDirectory { folder in
    let directory = try SpoolDirectory(path: folder.path, StoreSettings())
    var spool = try directory.makeSpool(announced: count)
    let piece = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* $0 / 251) }
    var left = count
    while left > 0 {
      var next = Array(piece[..<min(left, piece.count)])
      for byte in 0..<min(8, next.count) { next[byte] = UInt8(truncatingIfNeeded: left >> (8 * byte)) }
      try spool.append(next.span)
      left -= next.count
    }
    return try await body(spool.finish(filenameExtension: "bin"))
  }
}
