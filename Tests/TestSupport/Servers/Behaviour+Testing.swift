package import Misbehaving

/// Servers that behave well in the end.
extension Behaviour {
  /// Serves the response with this `ETag`, and answers 304 without a body if the client has it.
  package static func revalidating(_ response: Response, tag: String) -> Behaviour {
    Behaviour([response, tag]) { connection, request in
      var response = response
      response.fields.append(Response.Field("ETag", tag))
      if request.value(of: "If-None-Match") == tag {
        response = Response(status: 304, fields: response.fields)
      }
      return try await connection.serve(response)
    }
  }

  /// Behaves like `behaviour`, after a delay.
  package static func late(by delay: Duration, _ behaviour: Behaviour) -> Behaviour {
    Behaviour([delay, behaviour]) { connection, request in
      try await Task.sleep(for: delay)
      return try await behaviour.answer(connection, request)
    }
  }

  /// Behaves like `behaviour`, once the test opens `latch`.
  package static func held(by latch: Latch, _ behaviour: Behaviour) -> Behaviour {
    Behaviour([latch, behaviour]) { connection, request in
      try await latch.pass()
      return try await behaviour.answer(connection, request)
    }
  }

  /// Redirects `hops` times, each time to a different URL, and then behaves like `last`.
  package static func redirectChain(hops: Int, then last: Behaviour) -> Behaviour {
    Behaviour([hops, last]) { connection, request in
      if request.hop >= hops { return try await last.answer(connection, request) }
      return try await connection.serve(.redirect(to: request.nextHop))
    }
  }

  /// Sends headers that promise the whole response, and then nothing.
  package static func silentAfterHeaders(_ response: Response) -> Behaviour { .stalling(response, after: 0) }
}

extension Response {
  /// 204 without a body.
  package static let noContent = Response(status: 204)

  /// 500 with a line of text.
  package static let serverError = Response(.bytes(Array("broken\n".utf8)), as: "text/plain", status: 500)
}
