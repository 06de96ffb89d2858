import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

@testable import Sending

/// What happens to connections and credentials over days, in a few seconds.
@Suite("A connection to APNs that lives long")
struct LongLifeTests {
  private static func sink(
    _ mock: MockAPNs, _ file: String, _ credentials: Credentials, times: PushTimes = .short,
    firstStream: Int32? = nil
  ) throws -> APNsSink {
    let target = PushTarget(
      host: mock.host, port: mock.port, topic: nil, connections: 1, rate: nil, certificateFile: file,
      firstStream: firstStream)
    return APNsSink(try PushLoop(target, credentials, times), topic: nil)
  }

  private static func token(_ mock: MockAPNs, _ key: String) throws -> Credentials {
    .token(try ProviderToken(file: key, keyID: mock.key.id, teamID: mock.key.team))
  }

  private static let idle: PushTimes = {
    var times = PushTimes.short
    times.idle = .milliseconds(200)
    return times
  }()

  @Test("without pushes, it is asked by PING, and stays") func idlePing() async throws {
    try await withMock { mock, file, key in
      let sink = try Self.sink(mock, file, try Self.token(mock, key), times: Self.idle)
      #expect(try await sink.send([.push("a")]) == [.sent])
      #expect(await eventually { mock.ledger.pings >= 3 })
      #expect(try await sink.send([.push("b")]) == [.sent])
      #expect(mock.ledger.connections == 1)
      #expect(sink.counts.connectionsClosed.isEmpty)
    }
  }

  @Test("if it leaves some pushes unanswered and answers others, it stays") func unanswered() async throws {
    var behaviour = APNsBehaviour("unanswered")
    behaviour.unanswered = 10
    try await withMock(behaviour) { mock, file, key in
      var times = PushTimes.short
      times.answer = .seconds(5)
      let sink = try Self.sink(mock, file, try Self.token(mock, key), times: times)
      let later = try await sink.send(Message.pushes(100)).filter { $0 != .sent }
      #expect(later.count >= 10)
      // They wait in their queue, so that the others do not wait for them.
      let detail =
        "it is unknown whether 127.0.0.1 has taken the push (no answer came): it will be sent again"
      #expect(later.allSatisfy { $0 == .unavailable(detail, after: .seconds(1)) })
      #expect((sink.counts.uncertain, sink.counts.repeated) == (later.count, 0))
      #expect(sink.counts.connectionsClosed.isEmpty)
      #expect(mock.ledger.connections == 1)
    }
  }

  @Test("half open, it is found without a push") func halfOpen() async throws {
    // This server does not answer a PING.
    var times = Self.idle
    times.ping = .seconds(1)
    try await withFrames(times: times, { stream, _ in answer(stream, 200) }) { sink, server in
      let first = try await sink.send([.push("a")])
      #expect(first == [.sent])
      #expect(await eventually { sink.counts.connectionsClosed == ["silent": 1] })
      let second = try await sink.send([.push("b")])
      #expect(second == [.sent])
      #expect(server.connections == 2)
      #expect((sink.counts.uncertain, sink.counts.repeated) == (0, 0))
    }
  }

  @Test("another key is read as soon as its file is there") func changedKey() async throws {
    try await withMock { mock, file, right in
      let key = right + ".used"
      try APNsKey().write(to: key)
      var times = PushTimes.short
      times.credentials = .seconds(3_600)
      let sink = try Self.sink(mock, file, try Self.token(mock, key), times: times)
      for _ in 0..<2 {
        await #expect { try await sink.send([.push("a")]) } throws: {
          "\($0)".contains("InvalidProviderToken")
        }
      }
      #expect(mock.ledger.reasons == [.InvalidProviderToken: 1])
      let isMoved = unsafe rename(right, key) == 0
      #expect(isMoved)
      #expect(try await eventually { (try? await sink.send([.push("a")])) == [.sent] })
      #expect(sink.counts.credentialsFault == nil)
      #expect(mock.ledger.connections == 2)
    }
  }

  @Test("a key that cannot be read is reported with the refusal of the old one") func brokenKey() async throws
  {
    try await withMock(.always(.InvalidProviderToken)) { mock, file, key in
      let sink = try Self.sink(mock, file, try Self.token(mock, key))
      _ = try? await sink.send([.push("a")])
      try Files.write(Array("no key".utf8), to: key)
      let expected =
        "; the old key stays in use: the key file \(key) cannot be used: it has no -----BEGIN PRIVATE"
      #expect(
        try await eventually {
          do throws(QueueError) {
            _ = try await sink.send([.push("a")])
            return false
          } catch {
            return "\(error)".contains(expected)
          }
        })
    }
  }

  @Test("a certificate needs no token") func certificate() async throws {
    var behaviour = APNsBehaviour.healthy
    behaviour.wantsToken = false
    try await withMock(behaviour) { mock, file, key in
      try await withTemporaryDirectory { folder in
        let path = try folder.write(try await ClientCertificateTests.pem(folder), to: "c.pem", mode: 0o600)
        let certified = try Self.sink(mock, file, .certificate(try ClientCertificate(file: path)))
        let results = try await certified.send(Message.pushes(50))
        #expect(results == Array(repeating: .sent, count: 50))
        #expect(mock.ledger.tokens == 0)
        await #expect {
          try await Self.sink(mock, file, try Self.token(mock, key)).send([.push("a")])
        } throws: {
          "\($0)".contains("MissingProviderToken")
        }
      }
    }
  }

  @Test("at the end of the stream ids, another one is made") func streamIDs() async throws {
    try await withMock { mock, file, key in
      let sink = try Self.sink(mock, file, try Self.token(mock, key), firstStream: Int32.max - 8)
      let results = try await sink.send(Message.pushes(20))
      #expect(results == Array(repeating: .sent, count: 20))
      // Each connection has five streams.
      #expect(mock.ledger.connections == 4)
      #expect((sink.counts.uncertain, sink.counts.repeated) == (0, 0))
      #expect(mock.ledger.entries.values.allSatisfy { $0.received == 1 })
    }
  }

  @Test("one that allows no stream is given up after the stall time") func stall() async throws {
    var behaviour = APNsBehaviour.healthy
    behaviour.firstStreams = 0
    try await withMock(behaviour) { mock, file, key in
      var times = PushTimes.short
      times.stall = .milliseconds(600)
      let sink = try Self.sink(mock, file, try Self.token(mock, key), times: times)
      let start = ContinuousClock.now
      let results = try await sink.send([.push("a")])
      let duration = ContinuousClock.now - start
      #expect(duration > .milliseconds(590), "\(duration)")
      #expect(results == [.unavailable("127.0.0.1 has answered no push for 0.6 seconds", after: nil)])
      #expect(await eventually { sink.counts.connectionsClosed == ["silent": 1] })
      #expect(mock.ledger.entries.isEmpty)
    }
  }

  @Test("a stop gives back what a silent host has, and counts it as uncertain") func stop() async throws {
    let silent = APNsBehaviour("silent", fault: APNsFault(.readsNothing, after: 1))
    try await withMock(silent) { mock, file, key in
      var times = PushTimes.short
      (times.answer, times.quiet) = (.seconds(60), .seconds(60))
      let sink = try Self.sink(mock, file, try Self.token(mock, key), times: times)
      #expect(try await sink.send([.push("a")]) == [.sent])
      async let sending = sink.send(Message.pushes(300))
      // The first push may still count as one.
      #expect(await eventually { sink.counts.streamsOpen > 1 })
      sink.stop()
      let start = ContinuousClock.now
      let results = try await sending
      // Without the stop, it would take a minute.
      #expect(ContinuousClock.now - start < .seconds(30))
      let stopped = SendResult.unavailable("the push was not sent: this process is stopping", after: nil)
      #expect(results == Array(repeating: stopped, count: 300))
      #expect((1...128).contains(sink.counts.uncertain))
    }
  }
}
