/// Proper answers, and failures.
extension Behaviour {
  /// Serves the response, and keeps the connection if the framing allows it.
  package static func serve(_ response: Response) -> Behaviour {
    Behaviour([response]) { connection, _ in try await connection.serve(response) }
  }

  /// Answers like an overloaded server. `retryAfter` is seconds or an HTTP date, sent verbatim.
  package static func unavailable(_ status: Int = 503, retryAfter: String? = nil) -> Behaviour {
    .serve(Response(status: status, fields: retryAfter.map { [Response.Field("Retry-After", $0)] } ?? []))
  }

  /// Behaves like `failure` for the first `count` requests, then like `success`.
  package static func failing(first count: Int, by failure: Behaviour, then success: Behaviour) -> Behaviour {
    Behaviour([count, failure, success]) { connection, request in
      try await (request.attempt <= count ? failure : success).answer(connection, request)
    }
  }

  /// Reads the request, then resets the connection (RST) without an answer.
  package static var reset: Behaviour { .closing { connection, _ in try await connection.reset() } }

  package static func resetHalfway(_ response: Response) -> Behaviour {
    .closing([response]) { connection, _ in
      try await connection.serveHalf(of: response)
      try await connection.resetLater()
    }
  }

  /// Sends exactly these bytes, then closes.
  package static func raw(_ bytes: [UInt8]) -> Behaviour {
    .closing([bytes]) { connection, _ in try await connection.send(bytes) }
  }

  /// An HTTP/0.9 answer, which is a body and nothing else.
  package static let http09 = raw(Array("<html>just a body</html>\n".utf8))
  /// Bytes that are no known protocol: each value once.
  package static let garbage = raw((0...255).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
}

/// Silence and slowness. Only the client can end these connections early.
extension Behaviour {
  package static var silent: Behaviour { .closing { connection, _ in await connection.waitForClose() } }

  /// Announces the whole response, sends the first `count` bytes of its body, then nothing.
  package static func stalling(_ response: Response, after count: Int) -> Behaviour {
    .closing([response, count]) { connection, _ in
      try await connection.send(response.head())
      try await connection.sendBody(of: response, limit: count)
      await connection.waitForClose()
    }
  }

  /// Sends this many bytes of an unfinished header line, then nothing.
  package static func stallingHeaderLine(bytes: Int) -> Behaviour {
    .closing([bytes]) { connection, _ in
      try await connection.send("HTTP/1.1 200 \r\nX-Long: \(String(repeating: "a", count: bytes))")
      await connection.waitForClose()
    }
  }

  /// Sends half of the head, and everything else after a pause.
  package static func pausingInHead(_ response: Response, for pause: Duration) -> Behaviour {
    .closing([response, pause]) { connection, _ in
      let head = Array(response.head().utf8)
      try await connection.send(Array(head.prefix(head.count / 2)))
      try await Task.sleep(for: pause)
      try await connection.send(Array(head.dropFirst(head.count / 2)))
      try await connection.sendBody(of: response)
    }
  }

  /// Sends a status line at once, then one byte of a header per interval, without end.
  package static func drippingHeaders(every interval: Duration) -> Behaviour {
    .closing([interval]) { connection, _ in
      try await connection.send("HTTP/1.1 200 \r\nX-Slow: ")
      while !Task.isCancelled {
        try await connection.send("a")
        try await Task.sleep(for: interval)
      }
    }
  }

  package static let drippingHeaders = drippingHeaders(every: .seconds(1))

  /// Sends the headers at once, then `bytes` of the body per interval, each time in a new segment.
  package static func drippingBody(
    _ response: Response, bytes: Int = 1, every interval: Duration = .seconds(1)
  ) -> Behaviour {
    .closing([response, bytes, interval]) { connection, _ in
      try await connection.send(response.head())
      try await connection.sendBody(of: response, inPiecesOf: bytes, every: interval)
    }
  }
}
