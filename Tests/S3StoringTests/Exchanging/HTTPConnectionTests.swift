import Misbehaving
import Supporting
import TestSupport
import Testing

@testable import S3Storing

@Suite("Connections to services", .timeLimit(.minutes(5)))
struct HTTPConnectionTests {
  @Test("50 requests one after the other use one connection") func keepsAlive() async throws {
    try await withService(reply: answered) { service in
      let client = HTTPClient(certificateFile: nil)
      for _ in 0..<50 { _ = try await client.send(HTTPRequest(url: service.url()), within: .seconds(30)) }
      #expect(service.questions.count == 50)
      #expect(service.connections == 1)
    }
  }

  @Test("16 requests run at once, the 17th waits, and another service is not held up")
  func maximum() async throws {
    let latch = Latch()
    try await withService(reply: { connection, request in
      try await latch.pass()
      try await answered(connection, request)
    }) { service in
      try await withService(reply: answered) { other in
        let client = HTTPClient(certificateFile: nil)
        try await withThrowingTaskGroup { group in
          for number in 0..<40 {
            group.addTask {
              try await client.send(HTTPRequest(url: service.url("/\(number)")), within: .seconds(60)).status
            }
          }
          let hasFilled = await eventually { service.questions.count == 16 }
          #expect(hasFilled)
          _ = try await client.send(HTTPRequest(url: other.url()), within: .seconds(60))
          #expect(service.questions.count == 16)
          latch.open()
          for try await status in group { #expect(status == 200) }
        }
        #expect(service.questions.count == 40)
        #expect(service.connections == 16)
      }
    }
  }

  @Test("waiting requests are sent in order") func inOrder() async throws {
    let latch = Latch()
    try await withService(reply: { connection, request in
      try await latch.pass()
      try await answered(connection, request)
    }) { service in
      let client = HTTPClient(connections: 1, certificateFile: nil)
      let inbox = try client.openInbox(for: service.url())
      let exchanges = (0..<20).map { Exchange(HTTPRequest(url: service.url("/\($0)"))) }
      for exchange in exchanges { inbox.send(.begin(exchange)) }
      latch.open()
      for exchange in exchanges {
        let result = await exchange.ending.wait(cancelled: .failure(.cancelled)) { exchange.ending }
        let status = try result.get().status
        #expect(status == 200)
      }
      #expect(service.questions.map(\.request.target) == (0..<20).map { "/\($0)" })
      #expect(service.connections == 1)
    }
  }

  @Test("closed connections are replaced without notice, also under an upload", arguments: [false, true])
  func closed(isSecure: Bool) async throws {
    try await withTLS(speaking: .http1) { tls, authority in
      try await withService(
        tls: isSecure ? tls : nil,
        reply: { connection, request in
          try await answered(connection, request)
          try await connection.close()
        }
      ) { service in
        let client = HTTPClient(certificateFile: authority)
        for number in 1...30 {
          let body = [UInt8](repeating: 7, count: 100_000)
          let answer = try await client.send(
            HTTPRequest(method: "PUT", url: service.url(), body: .bytes(body)), within: .seconds(60))
          #expect(answer.status == 200)
          #expect(service.connections == number)
        }
        #expect(service.questions.allSatisfy { $0.body.count == 100_000 })
      }
    }
  }

  @Test("16 kept connections that all were closed do not fail the next request") func allClosed() async throws
  {
    let latch = Latch()
    let doors = Latch()
    try await withService(reply: { connection, request in
      try await latch.pass()
      try await answered(connection, request)
      if doors.isOpened { return }
      try await doors.pass()
      try await connection.close()
    }) { service in
      let client = HTTPClient(certificateFile: nil)
      try await withThrowingTaskGroup { group in
        for _ in 0..<16 {
          group.addTask { try await client.send(HTTPRequest(url: service.url()), within: .seconds(60)) }
        }
        let hasAllAsked = await eventually { service.questions.count == 16 }
        #expect(hasAllAsked)
        latch.open()
        for try await _ in group {}
      }
      doors.open()
      for _ in 0..<3 {
        let answer = try await client.send(HTTPRequest(url: service.url()), within: .seconds(60))
        #expect(answer.status == 200)
      }
    }
  }

  @Test("what a service sends without being asked is not the next answer") func unasked() async throws {
    let sent = Latch()
    try await withService(reply: { connection, request in
      try await answered(connection, request)
      if request.target != "/first" { return }
      try await connection.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
      sent.open()
    }) { service in
      let client = HTTPClient(certificateFile: nil)
      _ = try await client.send(HTTPRequest(url: service.url("/first")), within: .seconds(60))
      try await sent.pass()
      let answer = try await client.send(HTTPRequest(url: service.url("/second")), within: .seconds(60))
      #expect(answer.status == 200)
      #expect(service.connections == 2)
    }
  }

  @Test("idle connections are closed, and those of a client that is gone") func idle() async throws {
    let closed = Counter()
    try await withRawService { _, visitor in
      while let request = try await visitor.nextHead() { try await answered(visitor.connection, request) }
      closed.add()
    } _: { service in
      let client = HTTPClient(certificateFile: nil, idleTime: .seconds(1))
      _ = try await client.send(HTTPRequest(url: service.url()), within: .seconds(60))
      let hasClosed = await eventually { closed.count == 1 }
      #expect(hasClosed)
      _ = try await client.send(HTTPRequest(url: service.url()), within: .seconds(60))
      var other = Optional(HTTPClient(certificateFile: nil))
      _ = try await other?.send(HTTPRequest(url: service.url()), within: .seconds(60))
      other = nil
      let hasGone = await eventually { closed.count == 3 }
      #expect(hasGone)
    }
  }

  @Test("an answer before the end of the body ends the upload") func early() async throws {
    try await withSpooled(bytes: 20_000_000) { file in
      try await withRawService { _, visitor in
        guard try await visitor.nextHead() != nil else { return }
        try await visitor.connection.send(whole("<Error/>", status: "403 Forbidden"))
        await visitor.connection.waitForClose()
      } _: { service in
        let client = HTTPClient(certificateFile: nil)
        let answer = try await client.send(
          HTTPRequest(method: "PUT", url: service.url(), body: .file(file)), within: .seconds(60))
        #expect(answer.status == 403)
        #expect(answer.body == Array("<Error/>".utf8))
      }
    }
  }

  @Test("a redirect is an answer", arguments: [301, 302, 303, 307, 308]) func redirect(_ status: Int)
    async throws
  {
    try await withService(reply: { connection, _ in
      try await connection.send("HTTP/1.1 \(status) X\r\nLocation: /else\r\nContent-Length: 2\r\n\r\nno")
    }) { service in
      let client = HTTPClient(certificateFile: nil)
      let answer = try await client.send(
        HTTPRequest(method: "PUT", url: service.url("/a"), body: .bytes([1])), within: .seconds(60))
      #expect(answer.status == status)
      #expect(answer["location"] == "/else")
      #expect(service.questions.map(\.request.target) == ["/a"])
    }
  }

  @Test("the beginning of a long answer is kept, and so is the connection") func long() async throws {
    try await withService(reply: { connection, _ in
      try await connection.send(whole(String(repeating: "a", count: 1_000_000), status: "502 Bad Gateway"))
    }) { service in
      let client = HTTPClient(certificateFile: nil)
      for _ in 0..<2 {
        let answer = try await client.send(HTTPRequest(url: service.url()), within: .seconds(60))
        #expect(answer.status == 502)
        #expect(answer.body == [UInt8](repeating: 0x61, count: HTTPClient.maximumAnswer))
        #expect(answer.isCut)
      }
      #expect(service.connections == 1)
    }
  }

  @Test("interim answers, folded lines, trailers and chunks are read") func unusual() async throws {
    try await withService(reply: { connection, _ in
      try await connection.send(
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nX-Folded: a\r\n  b\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\nX-Trailer: t\r\n\r\n")
    }) { service in
      let client = HTTPClient(certificateFile: nil)
      for _ in 0..<2 {
        let answer = try await client.send(HTTPRequest(url: service.url()), within: .seconds(60))
        #expect(answer.headers == [HTTPField("X-Folded", "a b"), HTTPField("Transfer-Encoding", "chunked")])
        #expect(String(decoding: answer.body, as: UTF8.self) == "hello")
      }
      #expect(service.connections == 1)
    }
  }
}
