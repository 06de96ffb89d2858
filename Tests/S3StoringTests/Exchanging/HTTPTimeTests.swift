import Misbehaving
import Supporting
import TestSupport
import Testing

@testable import S3Storing

@Suite("Time limits of requests", .timeLimit(.minutes(5)))
struct HTTPTimeTests {
  private static let check = "check the service, and the network to it"
  private let client = HTTPClient(certificateFile: nil)

  @Test("a time limit ends the request, however far it is") func alarm() async throws {
    try await withService(reply: { connection, _ in await connection.waitForClose() }) { service in
      let failure = await client.failure(of: HTTPRequest(url: service.url()), within: .milliseconds(100))
      #expect(failure?.problem.contains(" within 100 ms") == true)
      #expect(failure?.mayTryAgain == true)
    }
  }

  /// Begins a request, and waits until it is stuck. Then compares the error that it would end with.
  private func expectLateness(
    _ phase: Exchange.Phase, _ problem: String, of request: HTTPRequest
  ) async throws {
    let exchange = Exchange(request)
    let inbox = try client.openInbox(for: request.url)
    inbox.send(.begin(exchange))
    let isThere = await eventually { exchange.phase == phase }
    #expect(isThere)
    #expect(
      exchange.lateness(.seconds(2))
        == HTTPFailure(
          problem: "\(request.url.authority) \(problem)", advice: Self.check, mayTryAgain: true))
    inbox.giveUp(exchange)
  }

  @Test("silence before the head") func silence() async throws {
    try await withService(reply: { connection, _ in await connection.waitForClose() }) { service in
      try await expectLateness(
        .sent, "did not answer within 2 s (it had the whole request)", of: HTTPRequest(url: service.url()))
    }
  }

  @Test("silence after the head") func silenceAfterHead() async throws {
    try await withService(reply: { connection, _ in
      try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
      await connection.waitForClose()
    }) { service in
      try await expectLateness(
        .receiving, "did not answer within 2 s (it had begun to answer)", of: HTTPRequest(url: service.url()))
    }
  }

  @Test("a trickling answer") func trickling() async throws {
    try await withService(reply: { connection, _ in
      try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
      while true {
        try await connection.send("a")
        try await Task.sleep(for: .milliseconds(50))
      }
    }) { service in
      let failure = await client.failure(of: HTTPRequest(url: service.url()), within: .seconds(2))
      #expect(failure?.problem.contains(" within 2 s") == true)
    }
  }

  @Test("a service that stops reading") func stopsReading() async throws {
    try await withSpooled(bytes: 20_000_000) { file in
      try await withRawService { _, visitor in
        _ = try await visitor.nextHead()
        await visitor.connection.waitForClose()
      } _: { service in
        try await expectLateness(
          .sending, "did not answer within 2 s (it had not taken the whole request)",
          of: HTTPRequest(method: "PUT", url: service.url(), body: .file(file)))
      }
    }
  }

  @Test("a service that is silent during the TLS handshake") func securing() async throws {
    try await withService(reply: answered) { service in
      var url = service.url()
      url.isSecure = true
      let words = "accepted a connection, but TLS was not ready within"
      try await expectLateness(.securing, "\(words) 2 s", of: HTTPRequest(url: url))
      // Connecting has a time limit of its own.
      #expect(
        await client.failure(of: HTTPRequest(url: url))
          == HTTPFailure(problem: "\(url.authority) \(words) 5 s", advice: Self.check, mayTryAgain: true))
    }
  }

  @Test("what cannot be had from a server on loopback")
  func otherPhases() {
    let url = ServiceURL(host: "a.example", port: 443)
    #expect(
      HTTPFailure.late(url, .seconds(5), .connecting)
        == HTTPFailure(
          problem: "a.example did not accept a connection within 5 s", advice: Self.check, mayTryAgain: true))
    #expect(
      HTTPFailure.late(url, .milliseconds(1_500), .lookingUp)
        == HTTPFailure(
          problem: "the name a.example was not looked up within 1500 ms",
          advice: "check this machine's name servers", mayTryAgain: true))
  }

  @Test("all connections are busy") func busy() async throws {
    try await withService(reply: { connection, _ in await connection.waitForClose() }) { service in
      let client = HTTPClient(connections: 1, certificateFile: nil)
      let inbox = try client.openInbox(for: service.url())
      let exchanges = (0..<2).map { _ in Exchange(HTTPRequest(url: service.url())) }
      for exchange in exchanges { inbox.send(.begin(exchange)) }
      let isWaiting = await eventually { exchanges.map(\.phase) == [.sent, .waiting] }
      #expect(isWaiting)
      #expect(
        exchanges[1].lateness(.milliseconds(50))
          == HTTPFailure(
            problem:
              "127.0.0.1:\(service.port) did not answer within 50 ms (all connections to it were busy)",
            advice: Self.check, mayTryAgain: true))
    }
  }

  @Test("a thread that hangs is not a busy service, and what is given up meanwhile does not pile up")
  func threadHangs() throws {
    let url = ServiceURL(host: "a.example", port: 443)
    let inbox = try Inbox()
    let exchanges = (0..<3).map { _ in Exchange(HTTPRequest(url: url)) }
    for exchange in exchanges { inbox.send(.begin(exchange)) }
    #expect(
      exchanges[0].lateness(.seconds(2))
        == HTTPFailure(
          problem: "no request to a.example was begun within 2 s",
          advice: "check the disk of --spool, which may hang, and the load of this machine",
          mayTryAgain: true))
    for exchange in exchanges[1...] { inbox.giveUp(exchange) }
    #expect(inbox.take().messages.count == 1)
    // The thread has already taken this one.
    inbox.giveUp(exchanges[0])
    #expect(inbox.take().messages.count == 1)
  }

  @Test("a request that has run out of time is not begun") func ended() async throws {
    try await withService(reply: answered) { service in
      let exchange = Exchange(HTTPRequest(url: service.url("/late")))
      exchange.end(.failure(.cancelled))
      try client.openInbox(for: service.url()).send(.begin(exchange))
      _ = try await client.send(HTTPRequest(url: service.url("/next")), within: .seconds(60))
      let next = HTTPRequest(url: service.url("/after"))
      _ = try await client.send(next, within: .seconds(60))
      #expect(service.questions.map(\.request.target) == ["/next", "/after"])
    }
  }

  @Test("a cancelled request returns at once, and its connection is closed") func cancelled() async throws {
    let closed = Latch()
    let asked = Latch()
    try await withService(reply: { connection, _ in
      asked.open()
      await connection.waitForClose()
      closed.open()
    }) { service in
      let task = Task { await client.failure(of: HTTPRequest(url: service.url()), within: .seconds(3_600)) }
      try await asked.pass()
      task.cancel()
      #expect(await task.value == .cancelled)
      try await closed.pass()
    }
  }

  @Test("a request of a cancelled task is not sent") func cancelledBefore() async throws {
    try await withService(reply: answered) { service in
      let task = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        return await client.failure(of: HTTPRequest(url: service.url()))
      }
      #expect(await task.value == .cancelled)
      _ = try await client.send(HTTPRequest(url: service.url("/next")), within: .seconds(30))
      #expect(service.questions.last?.request.target == "/next")
    }
  }
}
