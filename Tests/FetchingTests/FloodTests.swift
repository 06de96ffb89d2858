import Fetching
import Misbehaving
import TestSupport
import Testing

/// Endless streams, and responses that are not wanted in full. Our own byte counts end them early.
@Suite("Fetching what does not end", .timeLimit(.minutes(5)))
struct FloodTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let behaviour: Behaviour
    let error: FetchError
    /// Nil if the headers never end.
    var status: Int?
    /// The most bytes of the body that may be delivered.
    var body = 0

    var testDescription: String { "\(behaviour)".prefix(30) + "" }
  }

  private static let headers = FetchError.headersTooLarge(maximum: 65_536)
  private static let body = FetchError.bodyTooLarge(maximum: 1_000_000, announced: nil)

  static let cases: [Case] = [
    Case(behaviour: .endlessHeaders, error: headers),
    // libcurl passes on nothing of these until they are complete.
    Case(behaviour: .endlessHeaderLine, error: headers),
    Case(behaviour: .endlessInterimResponses, error: headers),
    Case(behaviour: .endlessTrailers, error: headers, status: 200, body: 3),
    Case(
      behaviour: .endlessChunks(first: [0xff, 0xd8], as: "image/jpeg"), error: body, status: 200,
      body: 1_000_000),
    Case(
      behaviour: .endlessBody(first: [0xff, 0xd8], as: "image/jpeg"), error: body, status: 200,
      body: 1_000_000),
  ]

  @Test("floods end at their limit", arguments: cases)
  func floods(flood: Case) async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher { $0.maximumBodyBytes = 1_000_000 }
      let sink = Sink(isKept: false)
      let fetch = await fetcher.get(server.url(flood.behaviour), into: sink)
      #expect(fetch.failure == flood.error)
      #expect(fetch.steps == [Step(flood.status, error: flood.error)])
      #expect(sink.received <= flood.body)
      #expect(server.tally(of: flood.behaviour).requests == 1)
      // The bytes that the kernel buffers on the way, and not 600 MB.
      #expect(server.tally(of: flood.behaviour).bytesSent < 60_000_000)
    }
  }

  @Test("floods over TLS end at their limit", arguments: cases)
  func floodsOverTLS(flood: Case) async throws {
    try await withTLS(speaking: .http1) { tls, caFile in
      try await withHostileServer(tls: tls) { server in
        let fetcher = try server.fetcher {
          $0.maximumBodyBytes = 1_000_000
          $0.certificateFile = caFile
        }
        let sink = Sink(isKept: false)
        let fetch = await fetcher.get(server.url(flood.behaviour), into: sink)
        #expect(fetch.steps == [Step(flood.status, error: flood.error)])
        #expect(sink.received <= flood.body)
        #expect(server.tally(of: flood.behaviour).bytesSent < 60_000_000)
      }
    }
  }

  /// Only the kernel knows how much of the line has arrived. On a kept connection, it has counted
  /// earlier responses, too.
  @Test(
    "a header line that never ends is cut at its limit, on a new and on a kept connection",
    arguments: ["127.0.0.1", "::1"])
  func headerLineWithoutEnd(host: String) async throws {
    try await withHostileServer(on: host) { server in
      let fetcher = try server.fetcher { _ in }
      let line = Behaviour.stallingHeaderLine(bytes: 98_000)
      #expect(await fetcher.get(server.url(line), into: Sink()).failure == Self.headers)
      let photo = Behaviour.serve(Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg"))
      #expect(await fetcher.get(server.url(photo), into: Sink()).failure == nil)
      let before = server.connections
      #expect(await fetcher.get(server.url(line), into: Sink()).failure == Self.headers)
      #expect(server.connections == before)
    }
  }

  /// The limit is the one of iOS: a file of that size is accepted, and one more byte is not.
  @Test(
    "a body may have its maximum size, and not one byte more",
    arguments: [Response.Framing.contentLength, .chunked(4_000), .untilClose], [50_000, 50_001])
  func boundary(framing: Response.Framing, length: Int) async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher { $0.maximumBodyBytes = 50_000 }
      let response = Response(.padded(first: [1], length: length), as: "image/png", framing: framing)
      let fetch = await fetcher.get(server.url(.serve(response)), into: Sink(showsEnd: true))
      if length == 50_000 {
        #expect(fetch.status == 200)
        #expect(fetch.body.count == 50_000)
      } else {
        let announced = framing == .contentLength ? length : nil
        #expect(fetch.failure == .bodyTooLarge(maximum: 50_000, announced: announced))
        #expect(fetch.body.count <= 50_000)
        #expect(fetch.begun == (announced == nil ? 1 : 0))
      }
    }
  }

  /// An encrypted body may be larger than what iOS accepts of its plaintext.
  @Test("a body that may be larger is refused with the limit of iOS", arguments: [true, false])
  func larger(isAnnounced: Bool) async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher { $0.maximumBodyBytes = 50_000 }
      for length in [60_000, 60_001] {
        let response = Response(
          .padded(first: [1], length: length), as: "image/png",
          framing: isAnnounced ? .contentLength : .chunked(4_000))
        let fetch = await fetcher.get(server.url(.serve(response)), into: Sink(maximum: 60_000))
        let announced = isAnnounced ? length : nil
        let error = FetchError.bodyTooLarge(maximum: 50_000, announced: announced)
        #expect(fetch.failure == (length == 60_000 ? nil : error))
      }
    }
  }

  @Test("headers up to their limit are accepted")
  func manyHeaders() async throws {
    try await withHostileServer { server in
      let fields = (0..<600).map { Response.Field("X-Field-\($0)", String(repeating: "a", count: 80)) }
      let behaviour = Behaviour.serve(Response(.bytes([1, 2, 3]), as: "image/jpeg", fields: fields))
      let fetch = try await server.fetch(server.url(behaviour))
      #expect(fetch.status == 200)
      #expect(fetch.body == [1, 2, 3])
    }
  }

  @Test("the body of a redirect is not read, whatever its size")
  func redirectBody() async throws {
    try await withHostileServer { server in
      let last = Behaviour.serve(Response(.bytes([1]), as: "image/jpeg"))
      let redirect = Behaviour.redirectWithBody(to: server.url(last), bytes: 300_000_000)
      let fetch = try await server.fetch(server.url(redirect))
      #expect(fetch.steps == [Step(302), Step(200)])
      #expect(fetch.body == [1])
      #expect(server.tally(of: redirect).bytesSent < 60_000_000)
    }
  }

  @Test("a consumer that wants no more ends the transfer", arguments: [0, 1, 100_000])
  func consumerStops(limit: Int) async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.serve(Response(.padded(first: [], length: 49_000_000), as: "video/mp4"))
      let sink = Sink(limit: limit)
      let fetch = try await server.fetch(server.url(behaviour), into: sink)
      #expect(fetch.failure == .stopped)
      #expect(fetch.steps == [Step(200, error: .stopped)])
      #expect(fetch.begun == 1)
      #expect(fetch.body.count < limit + 16_384)
      #expect(server.tally(of: behaviour).requests == 1)
      #expect(await eventually { server.openConnections == 0 })
      #expect(server.tally(of: behaviour).bytesSent < 49_000_000)
    }
  }
}
