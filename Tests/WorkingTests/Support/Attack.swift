import TestSupport
import Testing

/// A way to wear a worker out, and what its payloads come to.
struct Attack: CustomTestStringConvertible, Sendable {
  enum Means: Sendable {
    /// HTTP/1.1 over TLS.
    case http(Behaviour)
    /// The same without TLS.
    case plain(Behaviour)
    case http2(HTTP2Behaviour)
    /// A hello without an answer.
    case stalledHandshake
  }

  let name: String
  let means: Means
  /// What its payloads may come to: one of these. All may be late on a machine that is slow, and servers that do not answer are not
  /// asked by all.
  let reasons: Set<String>
  /// Whether nothing but the deadline ends it.
  let isEndless: Bool

  var testDescription: String { name }

  var isHTTP2: Bool { if case .http2 = means { true } else { false } }

  init(_ name: String, _ means: Means, _ reasons: String..., isEndless: Bool = false) {
    self.name = name
    self.means = means
    self.reasons = Set(reasons).union(["deadline-exceeded", "host-unhealthy", "http-status"])
    self.isEndless = isEndless
  }

  /// With HTTP/2. Of those that share a connection, one finds out, and the others lose it.
  init(_ name: String, _ behaviour: HTTP2Behaviour, isEndless: Bool = false) {
    self.name = name
    means = .http2(behaviour)
    reasons = [
      "deadline-exceeded", "host-unhealthy", "http-status", "headers-too-large", "connect-failed",
      "body-truncated",
    ]
    self.isEndless = isEndless
  }

  /// Where it is to be had, with the options to get there.
  func with(_ body: (_ url: String, _ options: [String]) async throws -> Void) async throws {
    switch means {
    case .http(let behaviour):
      try await withTLS(speaking: .http1) { tls, caFile in
        try await withHostileServer(tls: tls) { server in
          let url: String
          if case .redirectWithBody(_, let bytes) = behaviour {
            let end = server.url(.serve(.serverError))
            url = server.url(Self.once404(.redirectWithBody(to: end, bytes: bytes)))
          } else {
            url = server.url(Self.once404(behaviour))
          }
          try await body(url, ["--ca-file", caFile, "--allow-port", "\(server.port)"])
        }
      }
    case .http2(let behaviour):
      try await withHTTP2Server(behaviour) { server in
        try await body(server.url, ["--ca-file", server.caFile, "--allow-port", "\(server.port)"])
      }
    case .plain(let behaviour):
      try await withHostileServer {
        try await body($0.url(Self.once404(behaviour)), ["--allow-port", "\($0.port)"])
      }
    case .stalledHandshake:
      try await withHostileServer { server in
        try await body(server.stallingTLSURL(), ["--allow-port", "\(server.port)"])
      }
    }
  }

  /// A host that has never answered is not asked by many at once: this one answers, and then shows itself.
  private static func once404(_ behaviour: Behaviour) -> Behaviour {
    .failing(first: 1, by: .serve(Response(status: 404)), then: behaviour)
  }

  private static let photo = Response.file("photo.jpg", "image/jpeg")
  private static let photoHead: [UInt8] = (try? Files.read("\(Fixtures.media)/photo.jpg")) ?? []

  static let all: [Attack] = [
    // What all long headers of the moment may take together is limited, too.
    Attack("endless headers", .http(.endlessHeaders), "headers-too-large", "memory-exceeded"),
    Attack("one endless header", .http(.endlessHeaderLine), "headers-too-large", "memory-exceeded"),
    Attack(
      "a header that is never complete", .http(.stallingHeaderLine(bytes: 60_000)), "memory-exceeded",
      isEndless: true),
    Attack(
      "a longer one without TLS", .plain(.stallingHeaderLine(bytes: 98_000)), "headers-too-large",
      "memory-exceeded"),
    Attack("103s", .http(.endlessInterimResponses), "headers-too-large", "memory-exceeded"),
    Attack("trailers", .http(.endlessTrailers), "headers-too-large", "memory-exceeded"),
    Attack("chunks", .http(.endlessChunks(first: photoHead, as: "image/jpeg")), "body-too-large"),
    Attack("a body without end", .http(.endlessBody(first: photoHead, as: "image/jpeg")), "body-too-large"),
    Attack("redirects with 300 MB", .http(.redirectWithBody(to: "", bytes: 300_000_000)), "http-status"),
    Attack("slow headers", .http(.drippingHeaders), isEndless: true),
    Attack("a slow body", .http(.drippingBody(photo)), isEndless: true),
    Attack("a body that stalls", .http(.stalling(photo, after: 5_000)), isEndless: true),
    Attack("a gzip bomb", .http(.gzipBomb(as: "image/jpeg")), "encoding-not-allowed"),
    Attack("a length that lies", .http(.hugeLength(as: "image/jpeg")), "body-too-large"),
    Attack("two lengths", .http(.twoLengths(photo, other: 3)), "http-status"),
    Attack("an early end", .http(.truncated(photo)), "body-truncated"),
    Attack("connections that say nothing", .http(.silent), isEndless: true),
    Attack("a handshake that stalls", .stalledHandshake, isEndless: true),
    Attack("SETTINGS", .settings), Attack("PINGs", .pings), Attack("RST_STREAMs", .resets),
    Attack("PINGs whose answers nobody reads", .unreadPings), Attack("frames without data", .emptyData),
    Attack("frames that nobody knows", .unknownFrames), Attack("CONTINUATIONs", .continuation),
    Attack("long headers of HTTP/2", .longHeaders, isEndless: true),
    Attack("headers packed into little", .packedHeaders),
    Attack("the same, never complete", .silentInPackedHeaders, isEndless: true),
  ]
}
