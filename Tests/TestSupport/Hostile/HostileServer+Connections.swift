import NIOCore
import NIOPosix

/// Runs `body` with a hostile server on a free port, and stops the server however `body` ends.
///
/// `host` is a loopback address of either family; `port` is 0 for a free one.
/// - Throws: what `body` throws, or an error of NIO's if the address cannot be bound.
package func withHostileServer<Result: Sendable>(
  on host: String = "127.0.0.1", port: Int = 0, _ body: (HostileServer) async throws -> Result
) async throws -> Result {
  // The backlog is for tests that connect a thousand times at once.
  let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    .serverChannelOption(.backlog, value: 4096)
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .bind(host: host, port: port) { channel in
      channel.eventLoop.makeCompletedFuture {
        try NIOAsyncChannel<ByteBuffer, Never>(wrappingChannelSynchronously: channel)
      }
    }
  let server = HostileServer(host: host, port: listener.channel.localAddress?.port ?? 0)
  return try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { await server.accept(from: listener) }
    defer { group.cancelAll() }
    return try await body(server)
  }
}

extension HostileServer {
  fileprivate typealias Listener = NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, Never>, Never>

  /// Accepts until it is cancelled, and returns when every connection is closed.
  fileprivate func accept(from listener: Listener) async {
    await withDiscardingTaskGroup { group in
      // An error of the listener ends the server, and the test sees refused connections.
      try? await listener.executeThenClose { connections in
        for try await connection in connections {
          group.addTask { await self.converse(on: connection) }
        }
      }
      group.cancelAll()
    }
  }

  /// One connection from its opening to its end.
  private func converse(on connection: NIOAsyncChannel<ByteBuffer, Never>) async {
    opened()
    defer { closed() }
    let channel = connection.channel
    await withTaskCancellationHandler {
      // What is thrown here says that the client has gone, which is its right.
      try? await connection.executeThenClose { pieces in try await answerRequests(from: pieces, on: channel) }
    } onCancel: {
      // A write into a full socket and a wait for the client's close end by this alone.
      channel.close(promise: nil)
    }
  }

  private func answerRequests(
    from pieces: NIOAsyncChannelInboundStream<ByteBuffer>, on channel: any Channel
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
