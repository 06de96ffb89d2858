import NIOCore
import NIOPosix

/// What lets pass a first message of AMQP (0-9-1, section 4.2.3) that a broker hands out, and holds back all
/// behind it until it is opened.
package actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  package func open() {
    isOpen = true
    for waiting in waiting { waiting.resume() }
    waiting = []
  }

  fileprivate func pass() async {
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }
}

private typealias Bytes = NIOAsyncChannel<ByteBuffer, ByteBuffer>

/// Runs `body` with a port of 127.0.0.1 that leads to another, where a broker is.
package func withRelay(to port: Int, through gate: Gate, _ body: (Int) async throws -> Void) async throws {
  let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    .bind(host: "127.0.0.1", port: 0) { wrap($0) }
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      try await server.executeThenClose { clients in
        try await withThrowingDiscardingTaskGroup { group in
          for try await client in clients {
            group.addTask { try? await relay(client, to: port, through: gate) }
          }
        }
      }
    }
    try await body(server.channel.localAddress?.port ?? 0)
    await gate.open()
    group.cancelAll()
  }
}

private func wrap(_ channel: any Channel) -> EventLoopFuture<Bytes> {
  channel.eventLoop.makeCompletedFuture { try Bytes(wrappingChannelSynchronously: channel) }
}

private func relay(_ client: Bytes, to port: Int, through gate: Gate) async throws {
  let broker = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    .connect(host: "127.0.0.1", port: port) { wrap($0) }
  try await client.executeThenClose { questions, toClient in
    try await broker.executeThenClose { answers, toBroker in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { for try await bytes in questions { try await toBroker.write(bytes) } }
        group.addTask {
          var rest = ByteBuffer()
          for try await bytes in answers {
            rest.writeImmutableBuffer(bytes)
            while let frame = nextFrame(&rest) {
              try await toClient.write(frame)
              // The end of a message.
              if frame.getInteger(at: frame.readerIndex, as: UInt8.self) == 3 { await gate.pass() }
            }
          }
        }
        _ = try await group.next()
        group.cancelAll()
      }
    }
  }
}

/// Type, channel, length, so many bytes, and an end.
private func nextFrame(_ bytes: inout ByteBuffer) -> ByteBuffer? {
  guard let length = bytes.getInteger(at: bytes.readerIndex + 3, as: UInt32.self) else { return nil }
  return bytes.readSlice(length: Int(length) + 8)
}
