import NIOCore
import NIOPosix

/// Questions over TCP (RFC 1035 section 4.2.2): each message follows its length.
extension NameServer {
  typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  static func listen() async throws -> NIOAsyncChannel<Connection, Never> {
    try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
      }
  }

  /// Answers until it is cancelled.
  func answerConnections(to listener: NIOAsyncChannel<Connection, Never>) async {
    await withDiscardingTaskGroup { group in
      try? await listener.executeThenClose { connections in
        for try await connection in connections {
          group.addTask { try? await self.answerQueries(on: connection) }
        }
      }
      group.cancelAll()
    }
  }

  /// Closes the connection if a question has no answer here.
  private func answerQueries(on connection: Connection) async throws {
    try await connection.executeThenClose { pieces, replies in
      var received = ByteBuffer()
      for try await piece in pieces {
        received.writeImmutableBuffer(piece)
        while let query = received.readLengthPrefixedSlice(as: UInt16.self) {
          guard let message = NameMessage(query: Array(query.readableBytesView)),
            case .overTCP(let answer) = asked(message.question), let reply = message.reply(answer)
          else { return }
          var bytes = ByteBuffer(integer: UInt16(reply.count))
          bytes.writeBytes(reply)
          try await replies.write(bytes)
        }
      }
    }
  }
}
