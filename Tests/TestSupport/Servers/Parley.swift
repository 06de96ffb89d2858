import NIOCore
import NIOPosix

/// Runs `body` with a server on a free port of 127.0.0.1 that speaks a scripted protocol, and stops
/// it however `body` ends.
/// - Parameters:
///   - answer: returns the answer to the bytes that a client has sent since the last answer, or nil
///     if more of them are needed.
///   - closing: whether the server closes the connection after the first answer.
/// - Throws: what `body` throws, or an error from NIO if there is no port.
package func withServer(
  answering answer: @escaping @Sendable (String) -> String?, closing: Bool = false,
  _ body: (Int) async throws -> Void
) async throws {
  let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    .childChannelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(Parley(answer: answer, closing: closing))
      }
    }
    .bind(host: "127.0.0.1", port: 0).get()
  do {
    try await body(listener.localAddress?.port ?? 0)
  } catch {
    try await listener.close().get()
    throw error
  }
  try await listener.close().get()
}

private final class Parley: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let answer: @Sendable (String) -> String?
  private let closing: Bool
  private var heard = ""

  init(answer: @escaping @Sendable (String) -> String?, closing: Bool) {
    self.answer = answer
    self.closing = closing
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    heard += String(buffer: unwrapInboundIn(data))
    guard let text = answer(heard) else { return }
    heard = ""
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    if closing { context.close(promise: nil) }
  }
}
