internal import NIOCore
internal import Synchronization

/// An HTTP/2 server on loopback that treats every request the same. `withHTTP2Server` makes one.
package final class HTTP2Server: Sendable {
  private let listener: Listener
  private let behaviour: HTTP2Behaviour
  private let photo: [UInt8]
  private let counts = Mutex((requests: 0, bytesSent: 0))

  fileprivate init(_ behaviour: HTTP2Behaviour, photo: [UInt8], on listener: Listener) {
    self.behaviour = behaviour
    self.photo = photo
    self.listener = listener
  }

  package var port: Int { listener.port }
  package var url: String { "https://127.0.0.1:\(port)/\(behaviour.name)" }
  package var connections: Int { listener.accepted }
  package var openConnections: Int { listener.open }
  package var requests: Int { counts.withLock { $0.requests } }
  /// Bytes that the kernel took, not counting those that TLS adds.
  package var bytesSent: Int { counts.withLock { $0.bytesSent } }

  fileprivate func converse(_ guest: Guest) async throws {
    let connection = Connection(channel: guest.channel) { [self] count in
      counts.withLock { $0.bytesSent += count }
    }
    try await withThrowingTaskGroup(of: Void.self) { floods in
      var received: [UInt8] = []
      var isBegun = false
      guest.channel.read()
      for try await piece in guest.pieces {
        received += piece.readableBytesView
        if !isBegun, received.count >= HTTP2Frame.prefaceBytes {
          isBegun = true
          received.removeSubrange(..<HTTP2Frame.prefaceBytes)
        }
        while isBegun, let frame = HTTP2Frame(from: &received) {
          if frame.kind == HTTP2Frame.Kind.ping.rawValue, behaviour.waitsForPong {
            floods.addTask { try await self.flood(frame.stream, connection) }
          }
          guard frame.kind == HTTP2Frame.Kind.headers.rawValue else { continue }
          counts.withLock { $0.requests += 1 }
          // Reading goes on meanwhile: a client whose answers are not read would stop reading, too.
          floods.addTask { try await self.answer(on: frame.stream, connection) }
          if !behaviour.reads { return await connection.waitForClose() }
        }
        guest.channel.read()
      }
      floods.cancelAll()
    }
  }

  private func answer(on stream: UInt32, _ connection: Connection) async throws {
    try await behaviour.answer(on: stream, photo: photo, connection)
    if !behaviour.waitsForPong { try await flood(stream, connection) }
  }

  private func flood(_ stream: UInt32, _ connection: Connection) async throws {
    if let unit = behaviour.flood?(stream) { try await connection.flood(unit) }
  }
}

/// Runs `body` with a server on a free port that answers with `photo`, then stops the server.
/// - Throws: the errors of `body`, or an error from NIO if there is no port.
package func withHTTP2Server<Result: Sendable>(
  _ behaviour: HTTP2Behaviour, photo: [UInt8] = [], tls: TLSServerContext,
  _ body: (HTTP2Server) async throws -> Result
) async throws -> Result {
  let listener = try await Listener(on: "127.0.0.1", port: 0, tls: tls)
  let server = HTTP2Server(behaviour, photo: photo, on: listener)
  return try await listener.accept(server.converse) { try await body(server) }
}
