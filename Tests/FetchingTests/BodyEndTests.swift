import Fetching
import Misbehaving
import TestSupport
import Testing

/// When a body counts as complete.
@Suite("Ends of bodies", .timeLimit(.minutes(5)))
struct BodyEndTests {
  @Test(
    "a body over HTTP/2 is complete with its length or END_STREAM, and with nothing else",
    arguments: [false, true])
  func http2(isSlow: Bool) async throws {
    try await Self.withEach(HTTP2Behaviour.allCuts + HTTP2Behaviour.wholes, slowly: isSlow) {
      script, fetch, photo, _ in
      if HTTP2Behaviour.wholes.contains(script) {
        #expect(fetch.failure == nil, "\(script)")
        #expect(fetch.body == photo, "\(script)")
      } else if case .bodyTruncated(let received, announced: _) = fetch.failure {
        #expect(fetch.body == Array(photo.prefix(received)), "\(script)")
      } else {
        Issue.record("\(script): \(fetch.result)")
      }
    }
  }

  @Test("malformed HTTP/2 is refused, without another try", arguments: [false, true])
  func malformed(isSlow: Bool) async throws {
    try await Self.withEach(HTTP2Behaviour.allMalformed, slowly: isSlow) { script, fetch, _, server in
      #expect(fetch.failure == .responseInvalid, "\(script): \(fetch.result)")
      #expect(server.requests == 1, "\(script)")
      #expect(server.connections == 1, "\(script)")
    }
  }

  /// Runs all scripts at once, because many pause between their tries.
  private static func withEach(
    _ scripts: [HTTP2Behaviour], slowly isSlow: Bool,
    _ check: @Sendable @escaping (HTTP2Behaviour, Fetch, _ photo: [UInt8], HTTP2Server) throws -> Void
  ) async throws {
    let photo = try Files.read("\(Fixtures.media)/photo.jpg")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for script in scripts {
        group.addTask {
          try await withHTTP2Server(isSlow ? script.slowly : script) { server, caFile in
            var settings = try FetchSettings.loopback(ports: [server.port])
            settings.certificateFile = caFile
            // HTTP/2 signals the end of a body, so a file that shows its own end must not count.
            let fetcher = try Fetcher(settings: settings)
            let fetch = await fetcher.get(server.url, into: Sink(showsEnd: true))
            try check(script, fetch, photo, server)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let behaviour: Behaviour
    var hasTLS = true
    /// Whether the file itself shows that it is complete.
    var showsEnd = false
    let isWhole: Bool

    var testDescription: String { "\(name)\(hasTLS ? " over TLS" : "") is \(isWhole ? "whole" : "cut")" }
  }

  private static let body = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  private static func answer(_ framing: Response.Framing) -> Behaviour {
    .serve(Response(.bytes(body), as: "image/jpeg", framing: framing))
  }
  private static let http10 = Behaviour.raw(
    Array("HTTP/1.0 200 OK\r\nContent-Type: image/jpeg\r\n\r\n".utf8) + body)

  static let cases =
    [true, false].flatMap { hasTLS in
      [
        Case(name: "a length", behaviour: answer(.contentLength), hasTLS: hasTLS, isWhole: true),
        Case(
          name: "a length and no farewell",
          behaviour: .abruptly(.announcing(["20000"], Response(.bytes(body), as: "image/jpeg"))),
          hasTLS: hasTLS, isWhole: true),
        Case(name: "chunks", behaviour: answer(.chunked(3_000)), hasTLS: hasTLS, isWhole: true),
        Case(
          name: "chunks without the last one",
          behaviour: .truncated(Response(.bytes(body + body), as: "image/jpeg", framing: .chunked(3_000))),
          hasTLS: hasTLS, showsEnd: true, isWhole: false),
        Case(
          name: "an end by reset",
          behaviour: .resetHalfway(Response(.bytes(body + body), as: "image/jpeg", framing: .untilClose)),
          hasTLS: hasTLS, showsEnd: true, isWhole: false),
      ]
    } + [
      Case(name: "close_notify", behaviour: answer(.untilClose), isWhole: true),
      Case(name: "close_notify of HTTP/1.0", behaviour: http10, isWhole: true),
      Case(
        name: "FIN without close_notify", behaviour: .abruptly(answer(.untilClose)), showsEnd: true,
        isWhole: false),
      Case(
        name: "FIN of HTTP/1.0 without close_notify", behaviour: .abruptly(http10), showsEnd: true,
        isWhole: false),
      Case(name: "FIN", behaviour: answer(.untilClose), hasTLS: false, isWhole: false),
      Case(
        name: "FIN behind a file that shows its end", behaviour: answer(.untilClose), hasTLS: false,
        showsEnd: true, isWhole: true),
      Case(
        name: "FIN of HTTP/1.0 behind a file that shows its end", behaviour: http10, hasTLS: false,
        showsEnd: true, isWhole: true),
      Case(name: "FIN of HTTP/1.0", behaviour: http10, hasTLS: false, isWhole: false),
    ]

  @Test("a body over HTTP/1 is complete only if its framing or its file says so", arguments: cases)
  func http1(expected: Case) async throws {
    try await withHTTP1Server(hasTLS: expected.hasTLS) { server, caFile in
      let fetcher = try server.fetcher { $0.certificateFile = caFile }
      let fetch = await fetcher.get(server.url(expected.behaviour), into: Sink(showsEnd: expected.showsEnd))
      if expected.isWhole {
        #expect(fetch.failure == nil)
        #expect(fetch.body == Self.body)
      } else {
        #expect(fetch.failure == .bodyTruncated(received: fetch.body.count, announced: nil))
        #expect(server.tally(of: expected.behaviour).requests == 3)
      }
    }
  }

  /// libcurl closes the connection because the server burdens it. That must not look like a close
  /// by the server.
  @Test("a body is not complete if we closed its connection ourselves")
  func burden() async throws {
    try await withTLS(speaking: .http1, sending: .newKeys(1_000)) { tls, caFile in
      try await withHostileServer(tls: tls) { server in
        let fetch = await (try server.fetcher { $0.certificateFile = caFile })
          .get(server.url(Self.answer(.untilClose)))
        guard case .bodyTruncated = fetch.failure else {
          Issue.record("\(fetch.result)")
          return
        }
      }
    }
  }
}

/// Runs `body` with a server that speaks HTTP/1.1, with or without TLS.
func withHTTP1Server<Result: Sendable>(
  hasTLS: Bool, _ body: (HostileServer, _ caFile: String?) async throws -> Result
) async throws -> Result {
  guard hasTLS else { return try await withHostileServer { try await body($0, nil) } }
  return try await withTLS(speaking: .http1) { tls, caFile in
    try await withHostileServer(tls: tls) { try await body($0, caFile) }
  }
}
