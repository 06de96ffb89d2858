import Misbehaving
import Queueing
import TestSupport
import Testing

@testable import Sending

/// Everything that can be wrong with a server before the first push, and what users are told.
@Suite("Connecting to APNs")
struct ConnectingTests {
  private func detail(_ sink: APNsSink) async throws -> String {
    let results = try await sink.send([.push("a")])
    guard case .unavailable(let detail, nil)? = results.first else {
      return "\(results)"
    }
    return detail
  }

  @Test("a dead host") func deadHost() async throws {
    let port = freePort()
    var times = PushTimes.short
    times.firstPause = .seconds(60)
    try await withSink(port: port, trusting: nil, times: times) { sink in
      let told = try await detail(sink)
      #expect(
        told
          == "127.0.0.1:\(port) cannot be reached (Connection refused): check the address, and that a firewall lets TCP port \(port) out"
      )
      // Fails at once, because the next attempt is not due.
      #expect(try await sink.send([.push("b"), .push("c")]).count == 2)
      #expect(sink.counts.connectionsClosed == ["failed": 1])
    }
  }

  @Test("a host name that does not exist") func noName() async throws {
    try await withSink(to: "no-such-host.invalid", port: 443, trusting: nil) { sink in
      let detail = try await detail(sink)
      #expect(detail.hasPrefix("the host name no-such-host.invalid cannot be looked up ("), "\(detail)")
    }
  }

  @Test("a certificate of an unknown authority") func unknownAuthority() async throws {
    try await withFrames({ stream, _ in answer(stream, 200) }) { _, server in
      try await withSink(port: server.port, trusting: nil) { sink in
        let told = try await detail(sink)
        #expect(
          told
            == "127.0.0.1:\(server.port): its certificate is not accepted (self-signed certificate): check the host's name, and for a server of your own, name its certificate authority with --ca-file"
        )
        #expect(server.requests == 0)
      }
    }
  }

  @Test("a certificate for another host", arguments: ["127.0.0.1", "localhost"])
  func otherHost(_ host: String) async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.path(of: "certificate.pem")
      let certificate = try ServerCertificate(for: "DNS:other.example,IP:127.0.0.2")
      try certificate.write(to: file)
      let context = try TLSServerContext(certificate, speaking: .http2)
      let reason = host == "localhost" ? "hostname mismatch" : "IP address mismatch"
      try await withHTTP2Server(HTTP2Behaviour("apns") { stream, _ in answer(stream, 200) }, tls: context) {
        server in
        try await withSink(to: host, port: server.port, trusting: file) { sink in
          let detail = try await detail(sink)
          #expect(detail.contains("its certificate is not accepted (\(reason)): check"), "\(detail)")
          #expect(server.requests == 0)
        }
      }
    }
  }

  @Test("a server without HTTP/2") func noHTTP2() async throws {
    try await withTLS(speaking: .http1) { tls, file in
      try await withHTTP2Server(HTTP2Behaviour("apns") { stream, _ in answer(stream, 200) }, tls: tls) {
        server in
        try await withSink(port: server.port, trusting: file) { sink in
          let told = try await detail(sink)
          #expect(
            told
              == "127.0.0.1:\(server.port): it does not speak HTTP/2: check that this is the address of APNs, and of no proxy"
          )
        }
      }
    }
  }

  @Test("attempts to connect are rare, and the pause doubles") func pauses() async throws {
    let port = freePort()
    try await withSink(port: port, trusting: nil) { sink in
      let start = ContinuousClock.now
      for _ in 0..<60 {
        _ = try await sink.send([.push("a")])
        try await Task.sleep(for: .milliseconds(10))
      }
      // The shortest possible pauses are 75 ms, 150 ms and so on: they are 100 ms, doubling, less up to a
      // quarter.
      var (limit, pause, end) = (1, Duration.milliseconds(75), Duration.milliseconds(75))
      while end <= .now - start {
        limit += 1
        pause *= 2
        end += pause
      }
      let failed = sink.counts.connectionsClosed["failed"] ?? 0
      #expect((2...limit).contains(failed), "\(failed) of \(limit)")
    }
  }
}
