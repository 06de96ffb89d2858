/// False lengths and false ends.
extension Behaviour {
  /// Sends a `Content-Length` field for each text, verbatim, then the whole body, then closes. A
  /// strict client refuses `-1`, words, and two different lengths.
  package static func announcing(_ lengths: [String], _ response: Response) -> Behaviour {
    .closing([lengths, response]) { connection, _ in
      try await connection.send(response.head(framing: lengths.map { Response.Field("Content-Length", $0) }))
      try await response.body.forEachPiece { try await connection.send($0) }
    }
  }

  /// Announces 100 MB and sends a few bytes. A client that reads the length need not wait for more.
  package static func hugeLength(as contentType: String = "image/jpeg") -> Behaviour {
    .announcing(["100000000"], Response(.bytes(Array("tiny".utf8)), as: contentType))
  }

  package static func twoLengths(_ response: Response, other: Int) -> Behaviour {
    .announcing(["\(response.body.length)", "\(other)"], response)
  }

  /// Announces the whole response truthfully, sends half of its body, then closes cleanly.
  package static func truncated(_ response: Response) -> Behaviour {
    .closing([response]) { connection, _ in try await connection.serveHalf(of: response) }
  }

  /// Sends `Content-Length` and chunks, to smuggle requests past a proxy (RFC 9112 section 6.3).
  package static func lengthAndChunked(_ response: Response) -> Behaviour {
    .closing([response]) { connection, _ in
      var chunked = response
      if chunked.framing.chunk == nil { chunked.framing = .chunked(16_384) }
      let length = Response.Field("Content-Length", "\(response.body.length)")
      try await connection.send(chunked.head(framing: [length] + chunked.framingFields))
      try await connection.sendBody(of: chunked)
    }
  }

  /// Behaves like `behaviour`, but ends TLS without close_notify.
  package static func abruptly(_ behaviour: Behaviour) -> Behaviour {
    Behaviour([behaviour]) { connection, request in
      let ending = try await behaviour.answer(connection, request)
      if ending == .closes { try await connection.closeAbruptly() }
      return ending
    }
  }

  /// Sends the response, and then bytes that the client did not ask for: in the same write, or
  /// after `delay`. A careless client takes them for the answer to its next request.
  package static func followed(
    _ response: Response, by surplus: [UInt8], after delay: Duration = .zero
  ) -> Behaviour {
    Behaviour([response, surplus, delay]) { connection, _ in
      if delay == .zero {
        try await connection.send(response.bytes(followedBy: surplus))
        return .keepsAlive
      }
      let ending = try await connection.serve(response)
      try await Task.sleep(for: delay)
      try await connection.send(surplus)
      return ending
    }
  }

  /// 193,834 bytes of gzip that unpack to 200,002,892 zeros. Its deflate block (RFC 1951 section
  /// 3.2.7) codes "258 bytes, from one byte back" in two bits: a zero byte unpacks to 1,032 zeros.
  package static func gzipBomb(as contentType: String = "image/jpeg") -> Behaviour {
    let head: [UInt8] = [
      0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0x03,  // RFC 1952 section 2.3
      0xed, 0xc1, 0x01, 0x01, 0, 0, 0, 0x80, 0x90, 0xfe, 0xaf, 0xee, 0x08, 0x0a,  // the code
    ]
    let tail: [UInt8] = [
      0x80, 0x01,  // end of block
      0x35, 0x0e, 0x95, 0x6f, 0x4c, 0xcd, 0xeb, 0x0b,  // CRC-32 and length
    ]
    let bytes = head + [UInt8](repeating: 0, count: 193_800) + tail
    return .serve(
      Response(.bytes(bytes), as: contentType, fields: [Response.Field("Content-Encoding", "gzip")]))
  }
}

/// Answers that point elsewhere.
extension Behaviour {
  /// Sends `location` verbatim: absolute, relative, or not a URL at all.
  package static func redirect(to location: String, status: Int = 302) -> Behaviour {
    .serve(.redirect(to: location, status: status))
  }

  package static var redirectLoop: Behaviour {
    Behaviour { connection, request in try await connection.serve(.redirect(to: request.target)) }
  }

  /// Redirects forever, each time to a new URL.
  package static var redirectForever: Behaviour {
    Behaviour { connection, request in try await connection.serve(.redirect(to: request.nextHop)) }
  }

  /// Redirects with a chunked body of this many bytes. libcurl discards the body if it follows the redirect.
  package static func redirectWithBody(to location: String, bytes: Int) -> Behaviour {
    var redirect = Response.redirect(to: location)
    redirect.contentType = "text/html"
    redirect.body = .padded(first: [], length: bytes)
    redirect.framing = .chunked(65_536)
    return .serve(redirect)
  }

  /// A 3xx status without `Location`. With 304, the headers are the whole answer.
  package static func redirectNowhere(status: Int) -> Behaviour { .serve(Response(status: status)) }
}
