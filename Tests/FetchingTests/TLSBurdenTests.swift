import Fetching
import Misbehaving
import TestSupport
import Testing

/// Useless data that servers send in their handshakes.
@Suite("Burdens of a handshake", .timeLimit(.minutes(5)))
struct TLSBurdenTests {
  private static let photo = Behaviour.serve(Response(.bytes([1, 2, 3]), as: "image/jpeg"))

  /// Each response comes on the connection of the first one, so nothing that was discarded is
  /// missed. But data after a response ends its connection, because it is not known to be harmless.
  @Test(
    "a bearable burden does no harm",
    arguments: TLSBurden.bearable)
  func bearable(burden: TLSBurden) async throws {
    try await withTLS(speaking: .http1, sending: burden) { tls, caFile in
      try await withHostileServer(tls: tls) { server in
        let fetcher = try server.fetcher { $0.certificateFile = caFile }
        for _ in 0..<3 {
          let fetch = await fetcher.get(server.url(Self.photo))
          #expect(fetch.steps == [Step(200)])
          #expect(fetch.body == [1, 2, 3])
        }
        let comesBehindAnswers =
          switch burden {
          case .newKeys, .ticket: true
          case .none, .certificate, .authorities, .finiteField: false
          }
        #expect(server.tally(of: Self.photo).connections == (comesBehindAnswers ? 3 : 1))
      }
    }
  }

  @Test(
    "no server can cause endless new keys or tickets",
    arguments: [
      (TLSBurden.newKeys(100), FetchError.bodyTruncated(received: 0, announced: 3)),
      (.ticket(bytes: 60_000), .bodyTruncated(received: 0, announced: 3)),
      (.finiteField, .tlsFailed(detail: "")),
    ])
  func keys(burden: TLSBurden, failure: FetchError) async throws {
    try await withTLS(speaking: .http1, sending: burden) { tls, caFile in
      try await withHostileServer(tls: tls) { server in
        let fetcher = try server.fetcher { $0.certificateFile = caFile }
        let fetch = await fetcher.get(server.url(Self.photo))
        #expect(fetch.failure == failure)
      }
    }
  }

  /// There is room for one connection. When the first one is closed for the second, the rest of its
  /// data is read once more. Unless it is cut, that takes as long as its server keeps sending.
  @Test("a connection that is closed to make room does not delay the next one")
  func eviction() async throws {
    let nothing = Behaviour.serve(Response(.bytes([]), as: "image/jpeg"))
    try await withTLS(speaking: .http1, sending: .newKeys(400_000)) { tls, caFile in
      try await withHostileServer(tls: tls) { hostile in
        try await withHostileServer { honest in
          var settings = try FetchSettings.loopback(ports: [hostile.port, honest.port])
          settings.certificateFile = caFile
          settings.concurrency = 1
          let fetcher = try Fetcher(settings: settings)
          #expect(await fetcher.get(hostile.url(nothing)).failure == nil)
          #expect(await fetcher.get(honest.url(Self.photo)).failure == nil)
          // The server had 13 MB to send, and was cut before the kernel had accepted all of them.
          #expect(hostile.tally(of: nothing).bytesSent == 0)
        }
      }
    }
  }

  @Test(
    "handshake messages of more than 32 KB are refused",
    arguments: [TLSBurden.certificate(units: 3_000), .authorities(8_400)])
  func tooMuch(burden: TLSBurden) async throws {
    try await withTLS(speaking: .http1, sending: burden) { tls, caFile in
      try await withHostileServer(tls: tls) { server in
        let fetcher = try server.fetcher { $0.certificateFile = caFile }
        let fetch = await fetcher.get(server.url(Self.photo))
        #expect(fetch.failure == .tlsFailed(detail: ""))
        #expect(fetch.detail.contains("excessive message size"), "\(fetch.detail)")
        #expect(server.tally(of: Self.photo).requests == 0)
      }
    }
  }
}
