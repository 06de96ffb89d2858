import NIOCore
import NIOPosix

/// Runs `body` with a name server on a free port of 127.0.0.1, and stops the server however `body` ends.
/// - Throws: what `body` throws, or an error from NIO if there is no port.
package func withNameServer<Result: Sendable>(
  _ answers: [String: NameAnswer] = [:], _ body: (NameServer) async throws -> Result
) async throws -> Result {
  // Takes any TCP port whose UDP port is free, too.
  let (listener, socket) = try await repeatedly {
    let listener = try await NameServer.listen()
    let port = listener.channel.localAddress?.port ?? 0
    do {
      return (listener, try await NameServer.bind(port: port))
    } catch {
      try await listener.channel.close()
      throw error
    }
  }
  let server = NameServer(port: socket.channel.localAddress?.port ?? 0, answers: answers)
  return try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { await server.answerQueries(on: socket) }
    group.addTask { await server.answerConnections(to: listener) }
    defer { group.cancelAll() }
    return try await body(server)
  }
}

/// Tries up to ten times, and returns the first result.
private func repeatedly<Result>(_ body: () async throws -> Result) async throws -> Result {
  for _ in 0..<9 {
    if let result = try? await body() { return result }
  }
  return try await body()
}

extension NameServer {
  fileprivate static func bind(
    port: Int
  ) async throws -> NIOAsyncChannel<AddressedEnvelope<ByteBuffer>, Never> {
    try await DatagramBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<AddressedEnvelope<ByteBuffer>, Never>(wrappingChannelSynchronously: channel)
        }
      }
  }

  /// Answers until it is cancelled. A late answer does not hold up the others.
  fileprivate func answerQueries(on socket: NIOAsyncChannel<AddressedEnvelope<ByteBuffer>, Never>) async {
    await withDiscardingTaskGroup { group in
      try? await socket.executeThenClose { datagrams in
        for try await datagram in datagrams {
          guard let message = NameMessage(query: Array(datagram.data.readableBytesView)) else { continue }
          let answer = asked(message.question)
          group.addTask {
            try? await self.send(answer, to: datagram.remoteAddress, message, on: socket.channel)
          }
        }
      }
      group.cancelAll()
    }
  }

  private func send(
    _ answer: NameAnswer, to client: SocketAddress, _ message: NameMessage, on channel: any Channel
  ) async throws {
    var answer = answer
    while case .late(let delay, let next) = answer {
      try await Task.sleep(for: delay)
      answer = next
    }
    guard let reply = message.reply(answer) else { return }
    try await channel.writeAndFlush(
      AddressedEnvelope(remoteAddress: client, data: ByteBuffer(bytes: reply))
    ).get()
  }
}
