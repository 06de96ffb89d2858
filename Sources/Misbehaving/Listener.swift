internal import NIOCore
internal import NIOPosix

/// A bound address, and what becomes of the connections to it.
struct Listener: Sendable {
  typealias Pieces = NIOAsyncChannelInboundStream<ByteBuffer>

  private let channel: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, Never>, Never>

  let hasTLS: Bool
  var port: Int { channel.channel.localAddress?.port ?? 0 }

  /// - Parameter tls: nil to speak without.
  /// - Throws: an error of NIO's if the address cannot be bound.
  init(on host: String, port: Int, tls: TLSServerContext?) async throws {
    hasTLS = tls != nil
    // The backlog is for clients that connect a thousand times at once.
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.backlog, value: 4096)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .bind(host: host, port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(try TLSHandler(tls)) }
          return try NIOAsyncChannel<ByteBuffer, Never>(wrappingChannelSynchronously: channel)
        }
      }
  }

  /// Accepts until it is cancelled, and returns when every connection is closed. What `converse` throws says that the client has
  /// gone, which is its right.
  func accept(_ converse: @escaping @Sendable (Pieces, any Channel) async throws -> Void) async {
    await withDiscardingTaskGroup { group in
      // An error of the listener ends the server, and the test sees refused connections.
      try? await channel.executeThenClose { connections in
        for try await connection in connections {
          group.addTask {
            await withTaskCancellationHandler {
              try? await connection.executeThenClose { try await converse($0, connection.channel) }
            } onCancel: {
              // A write into a full socket and a wait for the client's close end by this alone.
              connection.channel.close(promise: nil)
            }
          }
        }
      }
      group.cancelAll()
    }
  }
}
