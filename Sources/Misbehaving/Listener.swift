internal import NIOCore
internal import NIOPosix

/// A bound address, and what becomes of the connections to it.
struct Listener: Sendable {
  private let channel: any Channel
  private let guests: AsyncStream<Guest>

  let hasTLS: Bool
  var port: Int { channel.localAddress?.port ?? 0 }

  /// - Parameter tls: nil to speak without.
  /// - Throws: an error of NIO's if the address cannot be bound.
  init(on host: String, port: Int, tls: TLSServerContext?) async throws {
    hasTLS = tls != nil
    let (guests, door) = AsyncStream.makeStream(of: Guest.self)
    self.guests = guests
    // The backlog is for clients that connect a thousand times at once.
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.backlog, value: 4096)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // Nothing is read before it is asked for: a client that is meant to get stuck gets stuck.
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

  /// Accepts while `body` runs, and returns when every connection is closed.
  func accept<Result: Sendable>(
    _ converse: @escaping @Sendable (Guest) async throws -> Void,
    while body: () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await accept(converse) }
      defer { group.cancelAll() }
      return try await body()
    }
  }

  /// Accepts until it is cancelled. What `converse` throws says that the client has gone, which is its right.
  func accept(_ converse: @escaping @Sendable (Guest) async throws -> Void) async {
    await withDiscardingTaskGroup { group in
      await withTaskCancellationHandler {
        for await guest in guests {
          group.addTask {
            await withTaskCancellationHandler {
              try? await converse(guest)
              try? await guest.channel.close().get()
            } onCancel: {
              // A write into a full socket and a wait for the client's close end by this alone.
              guest.channel.close(promise: nil)
            }
          }
        }
      } onCancel: {
        channel.close(promise: nil)
      }
      group.cancelAll()
    }
  }
}
