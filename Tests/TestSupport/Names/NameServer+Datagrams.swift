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
          var (answer, delay) = (asked(message.question), Duration.zero)
          while case .late(let more, let next) = answer { (answer, delay) = (next, delay + more) }
          guard let bytes = message.reply(answer) else { continue }
          let reply = AddressedEnvelope(remoteAddress: datagram.remoteAddress, data: ByteBuffer(bytes: bytes))
          // Without a task: on a busy machine, its turn may come much later than the one for the other
          // family's answer.
          guard delay > .zero else {
            socket.channel.writeAndFlush(reply, promise: nil)
            continue
          }
          group.addTask { [delay] in
            guard (try? await Task.sleep(for: delay)) != nil else { return }
            socket.channel.writeAndFlush(reply, promise: nil)
          }
        }
      }
      group.cancelAll()
    }
  }
}
