import Misbehaving
import Queueing
import Supporting
import TestSupport
import Testing

@testable import Sending

/// What becomes of pushes, whatever the server does, and in whatever order it does it.
@Suite("Delivering to APNs")
struct DeliveringTests {
  @Test("many pushes take one connection") func many() async throws {
    try await withFrames({ stream, _ in answer(stream, 200) }) { sink, server in
      for _ in 0..<3 {
        let results = try await sink.send(Message.pushes(300))
        #expect(results == Array(repeating: .sent, count: 300))
      }
      #expect(server.requests == 900)
      #expect(server.connections == 1)
      let counts = sink.counts
      #expect(counts.sent == 900)
      #expect((counts.uncertain, counts.repeated) == (0, 0))
      #expect(counts.latency.count == 900)
      #expect(counts.lastAnswer != nil)
    }
  }

  @Test("a wrong message is rejected without asking, and the others are sent") func wrongMessage()
    async throws
  {
    try await withFrames({ stream, _ in answer(stream, 200) }) { sink, server in
      let results = try await sink.send([
        .push("a"), .push("b", to: "no token"), .push("c", to: "00" + device),
      ])
      #expect(results.count == 3)
      #expect([results[0], results[2]] == [.sent, .sent])
      guard case .rejected = results[1] else { Issue.record("\(results[1])"); return }
      #expect(server.requests == 2)
    }
  }

  @Test("a refused stream is sent again, and counts as not processed") func refused() async throws {
    let calls = Calls()
    try await withFrames({ stream, _ in
      calls.next() % 3 == 1 ? HTTP2Behaviour.reset(stream, 7) : answer(stream, 200)
    }) { sink, server in
      let sent1 = try await sink.send(Message.pushes(50))
      #expect(sent1 == Array(repeating: .sent, count: 50))
      let counts = sink.counts
      #expect(counts.uncertain == 0)
      #expect(counts.repeated == server.requests - 50)
      #expect(counts.repeated > 0)
      #expect(server.connections == 1)
    }
  }

  @Test("after GOAWAY, pushes above its last stream go to another connection") func goAwayInTheMiddle()
    async throws
  {
    let calls = Calls()
    try await withFrames({ stream, _ in
      let call = calls.next()
      if call == 1 { return answer(stream, 200) }
      // A GOAWAY comes with every tenth request. That request and those before it are answered, later ones
      // never.
      return call % 10 == 0 ? goAway(after: stream) + answer(stream, 200) : answer(stream, 200)
    }) { sink, server in
      let sent2 = try await sink.send(Message.pushes(60))
      #expect(sent2 == Array(repeating: .sent, count: 60))
      #expect(sink.counts.connectionsClosed["goaway", default: 0] >= 1)
      #expect(server.connections > 1)
    }
  }

  @Test("pushes on a connection that is reset are sent again, and counted as uncertain") func reset()
    async throws
  {
    let calls = Calls()
    try await withHTTP2Server(
      HTTP2Behaviour("apns") { stream, _ in
        // The first connection answers only its first request, until the client gives it up.
        let call = calls.next()
        return call == 1 || call > 40
          ? answer(stream, 200) : call == 40 ? HTTP2Behaviour.frame(.ping, [1]) : []
      }
    ) { server, file in
      try await withSink(port: server.port, trusting: file) { sink in
        let sent3 = try await sink.send([.push("first")])
        #expect(sent3 == [.sent])
        let sent4 = try await sink.send(Message.pushes(60))
        #expect(sent4 == Array(repeating: .sent, count: 60))
        let counts = sink.counts
        #expect(counts.uncertain >= 38, "\(counts)")
        #expect(counts.repeated >= 38)
        #expect(counts.sent == 61)
      }
    }
  }

  @Test("a silent connection is found by PING, and another is used") func silence() async throws {
    let calls = Calls()
    var times = PushTimes.short
    (times.quiet, times.ping) = (.seconds(2), .seconds(2))
    try await withFrames(times: times, { stream, _ in calls.next() == 2 ? [] : answer(stream, 200) }) {
      sink, server in
      _ = try await sink.send([.push("first")])
      let start = ContinuousClock.now
      let sent5 = try await sink.send([.push("a")])
      #expect(sent5 == [.sent])
      #expect(ContinuousClock.now - start > .milliseconds(3_950))
      #expect(sink.counts.connectionsClosed == ["silent": 1])
      #expect(sink.counts.uncertain == 1)
      #expect(server.connections == 2)
    }
  }

  @Test("a server that never answers is given up, and tried again after a pause") func neverAnswered()
    async throws
  {
    try await withFrames(times: .impatient, { _, _ in [] }) { sink, server in
      let results = try await sink.send([.push("a")])
      guard case .unavailable(let detail, nil)? = results.first else {
        Issue.record("\(results)")
        return
      }
      #expect(detail == "127.0.0.1:\(server.port) fell silent, and did not answer a PING")
      #expect(sink.counts.uncertain == 1)
    }
  }

  @Test("to each device, one push is in flight") func order() async throws {
    let calls = Calls()
    try await withFrames({ stream, _ in calls.next() == 1 ? answer(stream, 200) : [] }) { sink, server in
      let sent6 = try await sink.send([.push("first")])
      #expect(sent6 == [.sent])
      async let results = sink.send([.push("a"), .push("b"), .push("c", to: "00" + device)])
      #expect(await eventually { server.requests == 3 })
      try await Task.sleep(for: .milliseconds(200))
      // The second push to the device waits for the first one's answer.
      #expect(server.requests == 3)
      sink.stop()
      for result in try await results {
        guard case .unavailable = result else { Issue.record("\(result)"); continue }
      }
    }
  }

  @Test("a push that is put off takes the later ones to its device with it") func putOff() async throws {
    try await withFrames({ stream, _ in answer(stream, 429, "TooManyRequests") }) { sink, server in
      let results = try await sink.send([.push("a"), .push("b")])
      for result in results {
        guard case .unavailable(let detail, .seconds(1)) = result else { Issue.record("\(result)"); continue }
        #expect(detail.contains("TooManyRequests"))
      }
      #expect(server.requests == 1)
    }
  }

  @Test("a push that comes while its device has to wait is put off without being sent") func waits()
    async throws
  {
    try await withFrames({ stream, _ in answer(stream, 429, "TooManyRequests") }) { sink, server in
      // A busy machine may be slower than the pause of a device. Then another device is tried.
      for number in 0..<8 {
        let phone = "0\(number)" + device
        _ = try await sink.send([.push("a", to: phone)])
        let requests = server.requests
        guard case .unavailable(_, let after?)? = try await sink.send([.push("b", to: phone)]).first else {
          Issue.record("it was not put off")
          return
        }
        guard server.requests == requests else { continue }
        #expect(after <= .seconds(1))
        return
      }
      Issue.record("it was sent")
    }
  }

  @Test("if APNs wants many pushes in a row later, no others are sent for a while") func calm() async throws {
    var times = PushTimes.short
    times.firstPause = .seconds(60)
    try await withFrames(times: times, { stream, _ in answer(stream, 503, "ServiceUnavailable") }) {
      sink, server in
      _ = try await sink.send(Message.pushes(40))
      let requests = server.requests
      let last = Message.push("last", to: "ffff" + device)
      guard case .unavailable(let detail, nil)? = try await sink.send([last]).first else {
        Issue.record("it was sent")
        return
      }
      #expect(detail == "127.0.0.1 wants all pushes later")
      #expect(server.requests == requests)
    }
  }

  @Test("refused credentials stop everything, and are tried again after a while") func credentials()
    async throws
  {
    let calls = Calls()
    var times = PushTimes.short
    times.credentials = .seconds(4)
    try await withFrames(
      times: times,
      { stream, _ in
        calls.next() == 1 ? answer(stream, 403, "InvalidProviderToken") : answer(stream, 200)
      }
    ) { sink, server in
      for _ in 0..<3 {
        await #expect(throws: QueueError.self) { try await sink.send(Message.pushes(20)) }
      }
      #expect(server.requests == 1)
      #expect(sink.counts.credentialsFault?.contains("InvalidProviderToken") == true)
      try await Task.sleep(for: .seconds(4))
      let sent7 = try await sink.send([.push("a")])
      #expect(sent7 == [.sent])
      #expect(sink.counts.credentialsFault == nil)
    }
  }

  @Test("a dead token is rejected, or reported") func deadToken() async throws {
    try await withFrames({ stream, _ in answer(stream, 410, "Unregistered") }) { sink, _ in
      guard case .rejected(let rejection)? = try await sink.send([.push("a")]).first else {
        Issue.record("not rejected")
        return
      }
      #expect(rejection.reason == APNsSink.deadReason)
      let records = MemoryQueue("dead-tokens", "records")
      sink.report(deadTokensTo: records)
      let sent8 = try await sink.send([.push("a")])
      #expect(sent8 == [.sent])
      #expect(
        try await records.browse(9).map { String(decoding: $0.body, as: UTF8.self) }
          == [#"{"token":"\#(device)","topic":"com.example.app","timestamp":null,"reason":"Unregistered"}"#])
    }
  }

  @Test("a dead token ends the pushes that wait for the answer, but not those to another topic")
  func deadForAll() async throws {
    let calls = Calls()
    try await withFrames({ stream, _ in
      calls.next() == 1 ? answer(stream, 410, "Unregistered") : answer(stream, 200)
    }) { sink, server in
      var other = Message.push("c")
      other.headers = other.headers.map {
        $0.name == "apns-topic" ? Header($0.name, "com.example.other") : $0
      }
      let dead = PushAnswerTests.answer(410, "Unregistered")
      let rejected = try [Message.push("a"), .push("b")].map {
        SendResult.rejected(dead.rejection(try PushRequest($0, topic: nil, now: 0)))
      }
      let results = try await sink.send([.push("a"), .push("b"), other])
      #expect(results == rejected + [.sent])
      #expect(server.requests == 2)
    }
  }

  @Test("a cancelled call returns soon") func cancellation() async throws {
    var times = PushTimes.short
    (times.quiet, times.answer) = (.seconds(60), .seconds(60))
    try await withFrames(times: times, { _, _ in [] }) { sink, server in
      let task = Task { try await sink.send(Message.pushes(5)) }
      #expect(await eventually { server.requests == 5 })
      let start = ContinuousClock.now
      task.cancel()
      let results = try await task.value
      #expect(ContinuousClock.now - start < .seconds(30))
      #expect(results.count == 5)
      for result in results {
        guard case .unavailable = result else { Issue.record("\(result)"); continue }
      }
    }
  }

  @Test("a rate spaces pushes evenly") func rate() async throws {
    try await withFrames(rate: 100, { stream, _ in answer(stream, 200) }) { sink, _ in
      let start = ContinuousClock.now
      let sent9 = try await sink.send(Message.pushes(60))
      #expect(sent9 == Array(repeating: .sent, count: 60))
      let duration = ContinuousClock.now - start
      #expect(duration > .milliseconds(520), "\(duration)")
    }
  }

  @Test("more connections are opened when one is full for a while") func spread() async throws {
    // Each answer takes about 20 ms, and each connection has eight streams.
    let limit: [UInt8] = HTTP2Behaviour.frame(.settings, [0, 3, 0, 0, 0, 8])
    let behaviour = HTTP2Behaviour("apns") { stream, _ in
      (stream == 1 ? limit : HTTP2Behaviour.frame(.window, [0, 0, 0, 1])) + answer(stream, 200)
    }.slowly
    try await withHTTP2Server(behaviour) { server, file in
      try await withSink(port: server.port, trusting: file, connections: 3) { sink in
        let results = try await sink.send(Message.pushes(900))
        #expect(results == Array(repeating: .sent, count: 900))
        #expect((2...3).contains(server.connections), "\(server.connections)")
      }
    }
  }
}
