/// What becomes of a connection once a request on it is answered.
enum Ending {
  case keepsAlive, closes
}

extension Behaviour {
  /// Answers one request. `attempt` counts the requests for this behaviour, from 1.
  func answer(_ request: Request, attempt: Int, on connection: Connection) async throws -> Ending {
    switch self {
    case .serve(let response): return try await connection.serve(response)
    case .revalidating(var response, let tag):
      response.fields.append(Response.Field("ETag", tag))
      if request.value(of: "If-None-Match") == tag {
        response = Response(status: 304, fields: response.fields)
      }
      return try await connection.serve(response)

    case .silent: await connection.waitForClose()
    case .stalling(let response, let bytes): try await connection.stall(response, after: bytes)
    case .late(let delay, let behaviour):
      try await Task.sleep(for: delay)
      return try await behaviour.answer(request, attempt: attempt, on: connection)
    case .drippingHeaders(let interval): try await connection.dripHeaders(every: interval)
    case .stallingHeaderLine(let bytes): try await connection.stallHeaderLine(after: bytes)
    case .drippingBody(let response, let bytes, let interval):
      try await connection.dripBody(of: response, bytes: bytes, every: interval)

    case .announcing(let lengths, let response): try await connection.announce(lengths, response)
    case .truncated(let response): try await connection.serveHalf(of: response)
    case .lengthAndChunked(let response): try await connection.serveWithLengthAndChunks(response)
    case .abruptly(let behaviour):
      if try await behaviour.answer(request, attempt: attempt, on: connection) == .closes {
        try await connection.closeAbruptly()
      }
    case .followed(let response, let surplus, let delay):
      return try await connection.serve(response, followedBy: surplus, after: delay)

    case .reset: try await connection.reset()
    case .resetHalfway(let response): try await connection.reset(halfwayThrough: response)
    case .failing(let count, let failure, let success):
      let behaviour = attempt <= count ? failure : success
      return try await behaviour.answer(request, attempt: attempt, on: connection)

    case .redirect(let location, let status):
      return try await connection.redirect(to: location, status: status)
    case .redirectChain(let hops, let last):
      if request.hop >= hops { return try await last.answer(request, attempt: attempt, on: connection) }
      return try await connection.redirectToNextHop(after: request)
    case .redirectLoop: return try await connection.redirect(to: request.target)
    case .redirectForever: return try await connection.redirectToNextHop(after: request)
    case .redirectWithBody(let location, let bytes):
      return try await connection.redirect(to: location, body: .padded(first: [], length: bytes))
    case .redirectNowhere(let status): return try await connection.serve(Response(status: status))

    case .endlessHeaders: try await connection.sendEndlessHeaders()
    case .endlessHeaderLine: try await connection.sendEndlessHeaderLine()
    case .endlessInterimResponses: try await connection.sendEndlessInterimResponses()
    case .endlessTrailers: try await connection.sendEndlessTrailers()
    case .endlessChunks(let first, let type): try await connection.sendEndlessChunks(first: first, as: type)
    case .endlessBody(let first, let type): try await connection.sendEndlessBody(first: first, as: type)

    case .gzipBomb(let type): return try await connection.serve(GzipBomb.response(as: type))
    case .raw(let bytes): try await connection.send(bytes)
    }
    return .closes
  }
}
