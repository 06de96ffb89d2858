@testable import Fetching
import Testing

@Suite("ResponseHead")
struct ResponseHeadTests {
  private static func read(_ lines: [String]) throws(FetchError) -> ResponseHead {
    var head = ResponseHead()
    for line in lines { try head.read(Array(line.utf8).span) }
    return head
  }

  @Test("has the fields of the last response, whatever their case and the spaces around them")
  func fields() throws {
    let head = try Self.read([
      "HTTP/1.1 103 Early Hints\r\n", "Content-Type: text/html\r\n", "Location: /x\r\n", "\r\n",
      "HTTP/2 200 \r\n",
      "CONTENT-TYPE: \t image/png ; q=1\t \r\n", "content-length:12\n", "X-Other: Content-Length: 13\r\n",
      "\r\n",
    ])
    #expect(head.status == 200)
    #expect(head.contentType == "image/png ; q=1")
    #expect(head.contentLength == 12)
    #expect(head.location == nil)
    #expect(head.foreignEncoding(besides: nil) == nil)
    #expect(head.isComplete)
  }

  @Test("ignores values that are not ASCII, except in a URL")
  func foreignBytes() throws {
    let head = try Self.read([
      "HTTP/1.1 302 Found\r\n", "Content-Type: image/\u{e9}\r\n", "ETag: \"\u{301}\"\r\n",
      "Location: /\u{e9}\r\n", "\r\n",
    ])
    #expect(head.contentType == "image/\u{fffd}\u{fffd}")
    #expect(head.reuse.values["etag"] == ["\"\u{fffd}\u{fffd}\""])
    #expect(head.location == "/\u{e9}")
  }

  @Test(
    "keeps nothing of too many fields about reuse, except that reuse is not allowed", arguments: [45, 46])
  func reuse(lines: Int) throws {
    let head = try Self.read(["HTTP/1.1 200 OK\r\n"] + Array(repeating: "ETag: 1234567\r\n", count: lines))
    let all = ["etag": Array(repeating: "1234567", count: lines)]
    #expect(head.reuse.values == (lines == 45 ? all : ["cache-control": ["no-store"]]))
  }

  @Test("is complete with the blank line of a final response, and not before")
  func complete() throws {
    #expect(try !Self.read(["HTTP/1.1 200 OK\r\n", "A: b\r\n"]).isComplete)
    #expect(try !Self.read(["HTTP/1.1 103 Early Hints\r\n", "\r\n"]).isComplete)
    #expect(try Self.read(["HTTP/1.1 404 Not Found\r\n", "\r\n"]).isComplete)
  }

  @Test(
    "needs a status line with a version and a status of three digits",
    arguments: [
      "HTTP/2103 200", "HTTP/2\t103 200", "HTTP/1 200", "HTTP/1.1\t200 200", "HTTP/1.10 200", "HTTP/x.1 200",
      "HTTP/1.1 abc", "HTTP/", "HTTP/1.1 200OK", "HTTP/1.1 20", "HTTP/1.1 +20 OK", "http/1.1 200 OK",
    ])
  func noStatus(line: String) {
    #expect(throws: FetchError.responseInvalid(detail: "its status line is '\(line)'")) {
      try Self.read([line + "\r\n", "\r\n"])
    }
  }

  @Test("refuses a switch to another protocol") func switching() {
    #expect(throws: FetchError.httpStatus(101, retryAfter: nil)) {
      try Self.read(["HTTP/1.1 101 Switching Protocols\r\n", "Upgrade: x\r\n", "\r\n"])
    }
  }

  @Test("takes a status line only at the start of a response")
  func statusLines() throws {
    let head = try Self.read([
      "HTTP/1.1 200 OK\r\n", "Content-Type: image/png\r\n", "HTTP/1.1 304 x: y\r\n", "\r\n",
      "HTTP/1.1 404 x\r\n",
    ])
    #expect(head.status == 200)
    #expect(head.contentType == "image/png")
    #expect(head.isComplete)
  }

  @Test("ignores a field that continues on another line")
  func folded() throws {
    let head = try Self.read([
      "HTTP/1.1 200 OK\r\n", "Cache-Control: max-age=60,\r\n", "\tprivate\r\n", "ETag: x\r\n", "\r\n",
    ])
    #expect(head.reuse.values["cache-control"] == ["no-store"])
    #expect(head.isComplete)
  }

  @Test("cuts long values, and still uses what they say")
  func long() throws {
    let long = String(repeating: "é", count: 30_000)
    let head = try Self.read([
      "HTTP/1.1 302 Found", "Content-Type: image/png;\(long)", "Location: /\(long)",
      "Content-Encoding: \(long)", "Content-Encoding: gzip",
    ])
    #expect(head.contentType?.hasPrefix("image/png;\u{fffd}") == true)
    // Half a character at the end becomes a replacement character of three bytes.
    #expect(try (199...202).contains(#require(head.contentType).utf8.count))
    #expect(try (199...202).contains(#require(head.foreignEncoding(besides: nil)).encoding.utf8.count))
    #expect(throws: FetchError.urlInvalid(detail: "it is longer than 8000 bytes")) {
      try RemoteURL(try #require(head.location), relativeTo: RemoteURL("https://media.example"))
    }
  }

  @Test("accepts bytes that are not text")
  func bytes() throws {
    var head = ResponseHead()
    for line: [UInt8] in [[0xff, 0x3a, 0xfe], [0x3a], []] { try head.read(line.span) }
    #expect(head.status == 0)
  }

  @Test(
    "reports encodings that were not requested",
    arguments: [
      (["Content-Encoding: identity"], nil), (["Content-Encoding:"], nil),
      (["Transfer-Encoding: Chunked"], nil),
      (["Content-Encoding: GZIP"], "GZIP"),
      (["Content-Encoding: gzip", "Content-Encoding: identity"], "gzip, identity"),
      (["Content-Encoding: aws-chunked"], nil), (["Content-Encoding: UTF-8"], nil),
      (["Content-Encoding: none, binary", "Content-Encoding: image/jpeg"], nil),
      (["Content-Encoding: aws-chunked,Br"], "aws-chunked,Br"), (["Content-Encoding: zstd"], "zstd"),
      (["Transfer-Encoding: gzip"], "gzip"), (["Transfer-Encoding: gzip, chunked"], "gzip, chunked"),
      (["Transfer-Encoding: gzip", "Transfer-Encoding: chunked"], "gzip, chunked"),
    ] as [([String], String?)])
  func encodings(fields: [String], foreign: String?) throws {
    #expect(try Self.read(["HTTP/1.1 200 OK"] + fields).foreignEncoding(besides: nil)?.encoding == foreign)
  }

  @Test(
    "refuses ambiguous lengths",
    arguments: [
      ["Content-Length: 1", "Content-Length: 2"], ["Content-Length: 1, 1"], ["Content-Length: -1"],
      ["Content-Length: +1"],
      ["Content-Length: 1.0"], ["Content-Length: ١"], ["Content-Length:"],
      ["Content-Length: 9223372036854775808"],
      ["Content-Length: 1", "Transfer-Encoding: chunked"],
      ["Transfer-Encoding: chunked", "Content-Length: 1"],
    ])
  func lengths(fields: [String]) {
    let error = #expect(throws: FetchError.self) { try Self.read(["HTTP/1.1 200 OK"] + fields) }
    #expect(error?.unworded == .responseInvalid)
  }

  @Test("is a redirect only if its location leads somewhere", arguments: 300...308)
  func redirects(status: Int) throws {
    let head = try Self.read(["HTTP/1.1 \(status) \r\n", "Location: /a\r\n", "Location: /b\r\n", "\r\n"])
    #expect(head.isRedirect == [301, 302, 303, 307, 308].contains(status))
    #expect(head.location == "/a")
    #expect(try !Self.read(["HTTP/1.1 \(status) \r\n", "\r\n"]).isRedirect)
  }
}
