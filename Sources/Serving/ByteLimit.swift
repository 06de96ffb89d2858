internal import NIOCore

/// Ends a connection over which more has come than a request for a page takes, whether line, headers or body.
final class ByteLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private var rest: Int

  /// - Parameter maximum: in bytes.
  init(maximum: Int) { rest = maximum }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    rest -= unwrapInboundIn(data).readableBytes
    guard rest >= 0 else { return context.close(promise: nil) }
    context.fireChannelRead(data)
  }
}
