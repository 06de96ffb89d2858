import Fetching
import Misbehaving
import TestSupport
import Testing

/// Abuses that HTTP/2 makes possible for a server. Each is ended early, with its own error.
@Suite("Fetching from servers that abuse HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2Tests {
  struct Case: CustomTestStringConvertible, Sendable {
    let behaviour: HTTP2Behaviour
    /// More than one if the error depends on what arrives in one piece.
    let errors: [FetchError]
    /// A part of the error's detail.
    var says = ""
    /// The deadline in seconds.
    var limit = 120

    var testDescription: String { behaviour.name }
  }

  private static let headers = FetchError.headersTooLarge(maximum: 131_072)
  private static let nothing = FetchError.bodyTruncated(received: 0, announced: nil)

  static let floods = [
    // nghttp2 has its own limit for answers that wait to be sent.
    Case(behaviour: .settings, errors: [.responseInvalid]),
    Case(behaviour: .pings, errors: [.responseInvalid]),
    Case(behaviour: .unreadPings, errors: [.responseInvalid]),
    Case(behaviour: .emptyData, errors: [.responseInvalid], says: "it wraps "),
    Case(behaviour: .unknownFrames, errors: [.responseInvalid], says: "it wraps "),
    Case(behaviour: .resets, errors: [.responseInvalid, nothing]),
    Case(behaviour: .continuation, errors: [headers]),
    // libcurl passes on a buffer of headers, and waits for the server before it continues.
    Case(
      behaviour: .longHeaders, errors: [headers, .headersTooLarge(maximum: 65_536), .cancelled], limit: 4),
    Case(behaviour: .packedHeaders, errors: [headers]),
    Case(behaviour: .interimResponses, errors: [headers, .headersTooLarge(maximum: 65_536)]),
    Case(behaviour: .refusals, errors: [.brokenOff]),
  ]

  private static func fetcher(for server: HTTP2Server, _ caFile: String) throws -> Fetcher {
    var settings = try FetchSettings.loopback(ports: [server.port])
    settings.certificateFile = caFile
    return try Fetcher(settings: settings)
  }

  @Test("floods are ended early", arguments: floods)
  func flood(expected: Case) async throws {
    try await withHTTP2Server(expected.behaviour) { server, caFile in
      let limit = Duration.seconds(expected.limit)
      let fetch = try await Self.fetcher(for: server, caFile).get(server.url, within: limit)
      #expect(fetch.failure.map { expected.errors.contains($0) } == true, "\(fetch.result)")
      #expect(fetch.detail.contains(expected.says), "\(fetch.result)")
      #expect(fetch.body.isEmpty)
      // Three tries at most. libcurl opens a few connections for each if a stream was refused.
      #expect(server.connections <= 18)
      #expect(server.bytesSent < 60_000_000)
      #expect(await eventually { server.openConnections == 0 })
    }
  }

  @Test(
    "a fetch from a silent server can be cancelled",
    arguments: [HTTP2Behaviour.silentInHeaders, .silentInBody])
  func silence(behaviour: HTTP2Behaviour) async throws {
    try await withHTTP2Server(behaviour) { server, caFile in
      let sink = Sink()
      let fetcher = try Self.fetcher(for: server, caFile)
      let task = Task { await fetcher.get(server.url, into: sink) }
      let phase: FetchJournal.Phase = behaviour == .silentInBody ? .receiving : .answering
      #expect(await eventually { sink.journal.snapshot.phase == phase })
      task.cancel()
      #expect(await task.value.failure == .cancelled)
    }
  }

  @Test("photos in many frames are not floods, however many there are")
  func photos() async throws {
    try await withHTTP2Server(.photo) { server, caFile in
      let fetcher = try Self.fetcher(for: server, caFile)
      let photo = try Files.read("\(Fixtures.media)/photo.jpg")
      for _ in 0..<100 { #expect(await fetcher.get(server.url).body == photo) }
      #expect(server.connections == 1)
      #expect(server.requests == 100)
    }
  }

  /// Late frames of abandoned bodies must not look like a flood to later transfers.
  @Test("leftovers of abandoned bodies are not floods")
  func leftovers() async throws {
    try await withTemporaryDirectory { folder in
      try folder.write([UInt8](repeating: 7, count: 5_000_000), to: "large.mp4")
      try folder.write([1, 2, 3], to: "small.png")
      try await withNginx(serving: folder.path) { nginx in
        var settings = try FetchSettings.loopback(ports: [nginx.httpsPort])
        settings.certificateFile = nginx.caFile
        settings.concurrency = 1
        let fetcher = try Fetcher(settings: settings)
        for _ in 0..<10 {
          let given = await fetcher.get("\(nginx.httpsOrigin)/large.mp4", into: Sink(limit: 1))
          #expect(given.failure == .stopped)
          #expect(await fetcher.get("\(nginx.httpsOrigin)/small.png").body == [1, 2, 3])
        }
      }
    }
  }

  /// libcurl checks its kept connections once a second, during whatever transfer comes next.
  @Test("a flood on a kept connection does not affect fetches from elsewhere")
  func keptConnection() async throws {
    try await Self.withFlood(.photoBeforeSettings) { flood, good, fetcher in
      #expect(await fetcher.get(flood.url).failure == nil)
      let isOver = try await eventually {
        let fetch = await fetcher.get(good)
        try #require(fetch.failure == nil)
        return flood.openConnections == 0
      }
      #expect(isOver)
    }
  }

  @Test("other fetches continue during a flood")
  func company() async throws {
    try await Self.withFlood(.settings) { flood, good, fetcher in
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let failure = await fetcher.get(flood.url).failure
            // Of the fetches that share a connection, one gets the error and the others lose it.
            #expect(
              [.responseInvalid, .brokenOff, Self.nothing].contains(failure),
              "\(String(describing: failure))")
          }
          group.addTask { #expect(await fetcher.get(good).body == [1, 2, 3]) }
        }
      }
    }
  }

  /// Runs `body` with a server that floods, an image on another server, and a fetcher for both.
  private static func withFlood(
    _ behaviour: HTTP2Behaviour,
    _ body: (_ flood: HTTP2Server, _ good: String, Fetcher) async throws -> Void
  ) async throws {
    try await withHTTP2Server(behaviour) { flood, caFile in
      try await withHostileServer { server in
        var settings = try FetchSettings.loopback(ports: [flood.port, server.port])
        settings.certificateFile = caFile
        let good = server.url(.serve(Response(.bytes([1, 2, 3]), as: "image/png")))
        try await body(flood, good, try Fetcher(settings: settings))
      }
    }
  }
}
