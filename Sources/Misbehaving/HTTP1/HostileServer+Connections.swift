internal import NIOCore

/// Runs `body` with a hostile server on a free port, and stops the server however `body` ends.
///
/// `host` is a loopback address of either family; `port` is 0 for a free one; with `tls` it speaks HTTP/1.1
/// over TLS.
/// - Throws: what `body` throws, or an error of NIO's if the address cannot be bound.
package func withHostileServer<Result: Sendable>(
  on host: String = "127.0.0.1", port: Int = 0, tls: TLSServerContext? = nil,
  _ body: (HostileServer) async throws -> Result
) async throws -> Result {
  let listener = try await Listener(on: host, port: port, tls: tls)
  let server = HostileServer(on: listener, host: host)
  return try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { await server.serve(listener) }
    defer { group.cancelAll() }
    return try await body(server)
  }
}

extension HostileServer {
  /// Answers what comes until it is cancelled, and returns when every connection is closed.
  func serve(_ listener: Listener) async {
    await listener.accept { try await self.converse(on: $1, $0) }
  }

  /// One connection from its opening to its end.
  private func converse(on channel: any Channel, _ pieces: Pieces) async throws {
    opened()
    defer { closed() }
    try await answerRequests(from: pieces, on: channel)
  }

  private func answerRequests(
    from pieces: Pieces, on channel: any Channel
  ) async throws {
    var routes: Set<String> = []
    var received: [UInt8] = []
    for try await piece in pieces {
      received += piece.readableBytesView
      if received.first == Self.tlsHandshake || received.count > 65_536 {
        return try await channel.closeFuture.get()
      }
      while let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        received.removeSubrange(..<end.upperBound)
        guard let request = Request(head: head) else { return }
        let route = request.path.split(separator: "/").first.map(String.init) ?? ""
        let isNew = routes.insert(route).inserted
        let connection = Connection(channel: channel) { [self] in sent($0, on: route) }
        guard let (behaviour, attempt) = self.received(request, on: route, newConnection: isNew) else {
          _ = try await connection.serve(.notFoundPage)
          return
        }
        if try await behaviour.answer(request, attempt: attempt, on: connection) == .closes { return }
      }
    }
  }

  /// The first byte of a TLS record that carries a handshake message (RFC 8446 section 5.1).
  private static let tlsHandshake: UInt8 = 22
}
