/// Proper answers, and failures.
extension Behaviour {
  /// Serves the response, and keeps the connection if the framing allows.
  package static func serve(_ response: Response) -> Behaviour {
    Behaviour([response]) { connection, _ in try await connection.serve(response) }
  }

  /// An overloaded server. `retryAfter` is seconds or an HTTP date, verbatim.
  package static func unavailable(_ status: Int = 503, retryAfter: String? = nil) -> Behaviour {
    .serve(Response(status: status, fields: retryAfter.map { [Response.Field("Retry-After", $0)] } ?? []))
  }

  /// Behaves as `failure` for the first `count` requests, then as `success`.
  package static func failing(first count: Int, by failure: Behaviour, then success: Behaviour) -> Behaviour {
    Behaviour([count, failure, success]) { connection, request in
      try await (request.attempt <= count ? failure : success).answer(connection, request)
    }
  }

  /// Resets the connection (RST) once the request is read, without an answer.
  package static var reset: Behaviour { .closing { connection, _ in try await connection.reset() } }

  package static func resetHalfway(_ response: Response) -> Behaviour {
    .closing([response]) { connection, _ in
      try await connection.serveHalf(of: response)
      try await connection.resetLater()
    }
  }

  /// Exactly these bytes, then a close.
  package static func raw(_ bytes: [UInt8]) -> Behaviour {
    .closing([bytes]) { connection, _ in try await connection.send(bytes) }
  }

  /// An answer of HTTP/0.9: a body and nothing else.
  package static let http09 = raw(Array("<html>just a body</html>\n".utf8))
  /// Bytes of no protocol: each one once.
  package static let garbage = raw((0...255).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
}

/// Silence and slowness: only the client ends these connections.
extension Behaviour {
  package static var silent: Behaviour { .closing { connection, _ in await connection.waitForClose() } }

  /// Announces the whole response, sends the first `count` bytes of its body, then nothing more.
  package static func stalling(_ response: Response, after count: Int) -> Behaviour {
    .closing([response, count]) { connection, _ in
      try await connection.send(response.head())
      try await connection.sendBody(of: response, limit: count)
      await connection.waitForClose()
    }
  }

  /// A header line of this many bytes that is never complete.
  package static func stallingHeaderLine(bytes: Int) -> Behaviour {
    .closing([bytes]) { connection, _ in
      try await connection.send("HTTP/1.1 200 \r\nX-Long: \(String(repeating: "a", count: bytes))")
      await connection.waitForClose()
    }
  }

  /// A status line at once, then one header byte per interval, without end.
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

  /// The headers at once, then so many bytes of the body per interval, each time in a segment of its own.
  package static func drippingBody(
    _ response: Response, bytes: Int = 1, every interval: Duration = .seconds(1)
  ) -> Behaviour {
    .closing([response, bytes, interval]) { connection, _ in
      try await connection.send(response.head())
      try await connection.sendBody(of: response, inPiecesOf: bytes, every: interval)
    }
  }
}
