package import Misbehaving

/// Servers that do as they should, in the end.
extension Behaviour {
  /// Serves with this `ETag`, and 304 without a body for a client that has it already.
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

  /// Behaves otherwise, this much later.
  package static func late(by delay: Duration, _ behaviour: Behaviour) -> Behaviour {
    Behaviour([delay, behaviour]) { connection, request in
      try await Task.sleep(for: delay)
      return try await behaviour.answer(connection, request)
    }
  }

  /// This many redirects, each to its own URL, before `last`.
  package static func redirectChain(hops: Int, then last: Behaviour) -> Behaviour {
    Behaviour([hops, last]) { connection, request in
      if request.hop >= hops { return try await last.answer(connection, request) }
      return try await connection.serve(.redirect(to: request.nextHop))
    }
  }

  /// Headers that promise the whole response, and nothing after them.
  package static func silentAfterHeaders(_ response: Response) -> Behaviour { .stalling(response, after: 0) }
}

extension Response {
  /// 204 with no body.
  package static let noContent = Response(status: 204)

  /// 500 with a line of text.
  package static let serverError = Response(.bytes(Array("broken\n".utf8)), as: "text/plain", status: 500)
}
