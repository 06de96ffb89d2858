internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A bound address, and the connections to it.
package final class Listener: Sendable {
  private let channel: any Channel
  private let guests: AsyncStream<Guest>
  private let counts = Mutex((accepted: 0, open: 0))
  package let host: String

  package var port: Int { channel.localAddress?.port ?? 0 }
  package var accepted: Int { counts.withLock { $0.accepted } }
  var open: Int { counts.withLock { $0.open } }

  /// - Parameter port: 0 for any free port.
  /// - Throws: an error from NIO if the address cannot be bound.
  package init(on host: String, port: Int, tls: TLSServerContext?) async throws {
    self.host = host
    let (guests, door) = AsyncStream.makeStream(of: Guest.self)
    self.guests = guests
    // The backlog allows a client to open a thousand connections at once.
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.backlog, value: 4096)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // Reads only on request, so that a client that is meant to get stuck does get stuck.
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(try TLSHandler(tls)) }
          try channel.pipeline.syncOperations.addHandler(PieceHandler(door))
        }
      }
      .bind(host: host, port: port).get()
    channel.closeFuture.whenComplete { _ in door.finish() }
  }

  /// Accepts clients while `body` runs, then disconnects them. If `converse` throws, its client is disconnected.
  package func accept<Result: Sendable>(
    _ converse: @escaping @Sendable (Guest) async throws -> Void, while body: () async throws -> Result
  ) async throws -> Result {
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        await withDiscardingTaskGroup { connections in
          for await guest in self.guests { connections.addTask { await self.serve(guest, converse) } }
        }
      }
      defer {
        channel.close(promise: nil)
        group.cancelAll()
      }
      return try await body()
    }
  }

  private func serve(_ guest: Guest, _ converse: @escaping @Sendable (Guest) async throws -> Void) async {
    await withTaskCancellationHandler {
      counts.withLock { $0 = ($0.accepted + 1, $0.open + 1) }
      try? await converse(guest)
      counts.withLock { $0.open -= 1 }
      try? await guest.channel.close().get()
    } onCancel: {
      // Only this ends a write into a full socket, and a wait for the client to close.
      guest.channel.close(promise: nil)
    }
  }
}
