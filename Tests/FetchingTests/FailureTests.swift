import Fetching
import Misbehaving
import TestSupport
import Testing

/// Responses that fail. Each has its own error, and as many tries as the error is worth.
@Suite("Fetching what fails", .timeLimit(.minutes(5)))
struct FailureTests {
  /// A behavior of a server, and everything that follows from it.
  struct Case: CustomTestStringConvertible, Sendable {
    let behaviour: Behaviour
    let error: FetchError
    /// The status of each try; nil if there was no answer.
    var status: Int? = 200
    /// The number of requests that reach the server.
    var requests = 1
    /// A part of the error's detail, from libcurl or from us.
    var says = ""

    var testDescription: String { "\("\(behaviour)".prefix(40)) → \(error)" }
  }

  private static let body = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  private static let picture = Response(.bytes(body), as: "image/jpeg")
  private static let half = FetchError.bodyTruncated(received: 10_000, announced: 20_000)

  private static let chunked: Response = {
    var response = picture
    response.framing = .chunked(5_000)
    return response
  }()

  private static func head(_ fields: String) -> Behaviour {
    .raw(Array("HTTP/1.1 200 OK\r\n\(fields)".utf8))
  }

  @Test(
    "the error says in words what happened",
    arguments: [
      (FetchError.resourcesExhausted(detail: "no file descriptor left"), "no file descriptor left"),
      (.httpStatus(429, retryAfter: 9), "the server answered 429 and asks to come back in 9 s"),
      (.redirectLimit(maximum: 3), "more than 3 redirects"),
    ])
  func words(error: FetchError, words: String) {
    #expect("\(error)" == words)
  }

  static let broken: [Case] = [
    Case(behaviour: .reset, error: .brokenOff, status: nil, requests: 3),
    Case(behaviour: .raw([]), error: .brokenOff, status: nil, requests: 3, says: "Empty reply"),
    Case(
      behaviour: head("Content-Ty"), error: .brokenOff, status: nil, requests: 3,
      says: "before the headers did"),
    Case(
      behaviour: head("Content-Length: 5\r\nContent-Ty"), error: .brokenOff, status: nil, requests: 3),
    Case(behaviour: .truncated(picture), error: half, requests: 3),
    Case(
      behaviour: .truncated(chunked), error: .bodyTruncated(received: 10_000, announced: nil), requests: 3),
    Case(
      behaviour: .announcing(["20001"], picture), error: .bodyTruncated(received: 20_000, announced: 20_001),
      requests: 3),
  ]

  static let lying: [Case] = [
    Case(
      behaviour: .hugeLength(as: "image/jpeg"),
      error: .bodyTooLarge(maximum: 50_000_000, announced: 100_000_000)),
    Case(
      behaviour: .announcing(["50000001"], picture),
      error: .bodyTooLarge(maximum: 50_000_000, announced: 50_000_001)),
    Case(
      behaviour: .twoLengths(picture, other: 19_999), error: .responseInvalid, status: nil,
      says: "'19999', after another"),
    Case(behaviour: .announcing(["-1"], picture), error: .responseInvalid, status: nil),
    Case(behaviour: .announcing(["+20000"], picture), error: .responseInvalid, status: nil, says: "'+20000'"),
    Case(behaviour: .announcing(["20000, 20000"], picture), error: .responseInvalid, status: nil),
    Case(behaviour: .announcing(["0x4e20"], picture), error: .responseInvalid, status: nil),
    Case(behaviour: .announcing(["99999999999999999999"], picture), error: .responseInvalid, status: nil),
    Case(
      behaviour: .lengthAndChunked(picture), error: .responseInvalid, status: nil,
      says: "a Content-Length and a Transfer-Encoding"),
  ]

  static let foreign: [Case] = [
    Case(
      behaviour: .gzipBomb(as: "image/png"), error: .encodingNotAllowed(field: "Content-Encoding", "gzip")),
    Case(
      behaviour: head("Content-Encoding: br\r\nContent-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc"),
      error: .encodingNotAllowed(field: "Content-Encoding", "br, identity")),
    Case(
      behaviour: head("Transfer-Encoding: gzip\r\n\r\nabc"),
      error: .encodingNotAllowed(field: "Transfer-Encoding", "gzip")),
    Case(
      behaviour: head("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      error: .encodingNotAllowed(field: "Transfer-Encoding", "gzip, chunked")),
    Case(behaviour: .http09, error: .responseInvalid, status: nil, says: "HTTP/0.9"),
    Case(behaviour: .garbage, error: .responseInvalid, status: nil),
    Case(behaviour: .raw(Array("HTTP/7.3 200 OK\r\n\r\n".utf8)), error: .responseInvalid, status: nil),
    Case(
      behaviour: .raw(Array("HTTP/1.1 200OK\r\nContent-Length: 3\r\n\r\nabc".utf8)), error: .responseInvalid,
      status: nil, says: "its status line is 'HTTP/1.1 200OK'"),
    Case(
      behaviour: .raw(Array("http/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".utf8)), error: .responseInvalid,
      status: nil, says: "its status line is 'http/1.1 200 OK'"),
    Case(
      behaviour: .raw(Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n".utf8)),
      error: .httpStatus(101, retryAfter: nil), status: nil),
    Case(
      behaviour: head("Transfer-Encoding: chunked\r\n\r\n-5\r\nabc"), error: .responseInvalid,
      says: "in chunked-encoding"),
    Case(
      behaviour: head("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nHTTP/1.1 200 OK\r\n\r\n"),
      error: .responseInvalid, says: "chunked-encoded stream"),
  ]

  static let refused: [Case] =
    [400, 401, 403, 404, 410, 416, 451, 500, 501, 599].map {
      Case(
        behaviour: .serve(Response(picture.body, as: "image/jpeg", status: $0)),
        error: .httpStatus($0, retryAfter: nil), status: $0)
    } + [
      Case(behaviour: .serve(.notFoundPage), error: .httpStatus(404, retryAfter: nil), status: 404),
      Case(
        behaviour: .serve(.partialContent(body, as: "image/jpeg")), error: .httpStatus(206, retryAfter: nil),
        status: 206),
      Case(behaviour: .unavailable(429), error: .httpStatus(429, retryAfter: nil), status: 429),
    ]
    + [300, 302, 304].map {
      Case(behaviour: .redirectNowhere(status: $0), error: .httpStatus($0, retryAfter: nil), status: $0)
    }
    + [408, 502, 503, 504].map {
      Case(behaviour: .unavailable($0), error: .httpStatus($0, retryAfter: nil), status: $0, requests: 3)
    }

  @Test(
    "each failure has its error, its hops and its number of requests",
    arguments: broken + lying + foreign + refused)
  func failures(expected: Case) async throws {
    try await withHostileServer { server in
      let fetch = try await server.fetch(server.url(expected.behaviour))
      #expect(fetch.failure == expected.error)
      #expect(fetch.detail.contains(expected.says))
      #expect(
        fetch.steps
          == (1...expected.requests).map { Step(expected.status, attempt: $0, error: expected.error) })
      #expect(fetch.journal.hops.allSatisfy { $0.address == "127.0.0.1:\(server.port)" })
      #expect(server.tally(of: expected.behaviour).requests == expected.requests)
      #expect(server.tally(of: expected.behaviour).connections == expected.requests)
    }
  }

  @Test("a reset in the middle of a body counts as a truncated body")
  func resetHalfway() async throws {
    try await withHostileServer { server in
      let fetch = try await server.fetch(server.url(.resetHalfway(Self.picture)))
      guard case .bodyTruncated(let received, announced: 20_000) = fetch.failure else {
        Issue.record("\(fetch.result)")
        return
      }
      // The reset may overtake bytes that were not read yet.
      #expect(received <= 10_000)
      #expect(fetch.body == Array(Self.body.prefix(received)))
      #expect(server.tally(of: .resetHalfway(Self.picture)).requests == 3)
    }
  }

  @Test("a port on which nothing listens fails for good")
  func nobody() async throws {
    var settings = try FetchSettings.loopback(ports: [4430])
    settings.addresses = AddressPolicy(allowing: [try AddressRange("127.0.0.3")])
    let fetch = await (try Fetcher(settings: settings)).get("http://127.0.0.3:4430/")
    #expect(fetch.failure == .connectFailed(detail: "", isTransient: false))
    #expect(fetch.detail.contains("127.0.0.3 port 4430"))
    #expect(fetch.steps == [Step(nil, error: fetch.failure)])
  }

  @Test("a URL that is not allowed causes no connection")
  func notAllowed() async throws {
    try await withHostileServer { server in
      let url = server.url(.silent)
      let noHTTP = try server.fetcher { $0.allowsHTTP = false }
      #expect(await noHTTP.get(url).failure == .schemeNotAllowed("http"))
      let noPort = try server.fetcher { $0.allowedPorts = [] }
      #expect(await noPort.get(url).failure == .portNotAllowed(server.port))
      let noAddress = try server.fetcher { $0.addresses = AddressPolicy() }
      let blocked = FetchError.addressBlocked(address: "127.0.0.1", purpose: "loopback")
      let fetch = await noAddress.get(url)
      #expect(fetch.failure == blocked)
      #expect(fetch.steps == [Step(nil, error: blocked)])
      #expect(server.connections == 0)
    }
  }
}
