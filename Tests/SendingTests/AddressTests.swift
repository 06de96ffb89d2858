import Misbehaving
import Queueing
import TestSupport
import Testing

@testable import Sending

/// Hosts with several addresses, some of which are dead.
@Suite("The addresses of APNs")
struct AddressTests {
  private static let times: PushTimes = {
    var times = PushTimes.short
    (times.connect, times.handshake, times.opening) = (
      .milliseconds(300), .seconds(1), .milliseconds(1_200)
    )
    return times
  }()

  /// Runs `body` with a mock, and a sink whose host name has these addresses. They all have the mock's port.
  private static func withSink(
    at addresses: [String], _ times: PushTimes = times,
    _ body: (APNsSink, MockAPNs) async throws -> Void
  ) async throws {
    try await withMock { mock, file, key in
      let target = PushTarget(
        host: mock.host, port: mock.port, topic: nil, connections: 1, rate: nil, certificateFile: file,
        lookUp: { _, port in .found(addresses.flatMap { Self.addresses(of: $0, port) }) })
      let token = try ProviderToken(file: key, keyID: mock.key.id, teamID: mock.key.team)
      try await body(APNsSink(try PushLoop(target, .token(token), times), topic: nil), mock)
    }
  }

  private static func addresses(of host: String, _ port: Int) -> [SocketAddress] {
    guard case .found(let found) = HostLookup.look(up: host, port: port) else { return [] }
    return found
  }

  @Test("one that refuses, one that swallows, and one that is silent are passed over") func dead()
    async throws
  {
    var times = PushTimes()
    // A busy machine may need seconds for the handshake with the mock.
    (times.connect, times.handshake) = (.seconds(2), .seconds(5))
    let addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.1"]
    try await Self.withSink(at: addresses, times) { sink, mock in
      let hole = try BlackHole("127.0.0.3", port: mock.port)
      let mute = try BlackHole("127.0.0.4", port: mock.port, accepts: true)
      defer { for one in [hole, mute] { one.close() } }
      let results = try await sink.send([.push("a")])
      #expect(results == [.sent])
      #expect(mock.ledger.connections == 1)
      #expect(sink.counts.connectionsClosed.isEmpty)
    }
  }

  @Test("an attempt is bounded as a whole, and the next one begins with other addresses") func bound()
    async throws
  {
    let holes = Array(repeating: "127.0.0.3", count: 8)
    try await Self.withSink(at: holes + ["127.0.0.1"]) { sink, mock in
      let hole = try BlackHole("127.0.0.3", port: mock.port)
      defer { hole.close() }
      let start = ContinuousClock.now
      guard case .unavailable(let detail, nil)? = try await sink.send([.push("a")]).first else {
        Issue.record("it was sent")
        return
      }
      let duration = ContinuousClock.now - start
      #expect(duration > .milliseconds(1_100), "\(duration)")
      #expect(
        detail
          == "127.0.0.1:\(mock.port) (127.0.0.3) cannot be reached (no answer): check the address, and that a firewall lets TCP port \(mock.port) out"
      )
      #expect(try await eventually { try await sink.send([.push("a")]) == [.sent] })
    }
  }

  @Test("what is wrong with TLS is reported, and not that the next address is dead") func tlsFirst()
    async throws
  {
    try await Self.withSink(at: ["127.0.0.4", "127.0.0.2"]) { sink, mock in
      let mute = try BlackHole("127.0.0.4", port: mock.port, accepts: true)
      defer { mute.close() }
      guard case .unavailable(let detail, nil)? = try await sink.send([.push("a")]).first else {
        Issue.record("it was sent")
        return
      }
      #expect(
        detail
          == "127.0.0.1:\(mock.port) (127.0.0.4) does not answer the TLS handshake: check that this is the address of APNs, and of no proxy"
      )
    }
  }

  @Test("a stop gives back at once what waits for a connection", arguments: [false, true])
  func stop(accepts: Bool) async throws {
    // Long enough that no attempt to connect ends before the stop.
    try await Self.withSink(at: ["127.0.0.3"], PushTimes()) { sink, mock in
      let hole = try BlackHole("127.0.0.3", port: mock.port, accepts: accepts)
      defer { hole.close() }
      async let sending = sink.send(Message.pushes(5))
      try await Task.sleep(for: .milliseconds(100))
      sink.stop()
      let results = try await sending + sink.send([.push("late")])
      let stopped = SendResult.unavailable("the push was not sent: this process is stopping", after: nil)
      #expect(results == Array(repeating: stopped, count: 6))
    }
  }
}

/// Runs `body` with a mock, its certificate, and the file of its key.
func withMock(
  _ behaviour: APNsBehaviour = .healthy,
  _ body: (MockAPNs, _ file: String, _ key: String) async throws -> Void
) async throws {
  try await withTLS(speaking: .http2) { tls, file in
    try await withMockAPNs(behaviour, tls: tls) { mock in
      try await withTemporaryDirectory { folder in
        let key = folder.path(of: "AuthKey.p8")
        try mock.key.write(to: key)
        try await body(mock, file, key)
      }
    }
  }
}
