package import NIOCore

/// A connected client, and the pieces it sends. Each one is read only after `channel.read()`.
package final class Guest: Sendable {
  package let channel: any Channel
  package let pieces: AsyncThrowingStream<ByteBuffer, any Error>

  init(_ channel: any Channel, _ pieces: AsyncThrowingStream<ByteBuffer, any Error>) {
    self.channel = channel
    self.pieces = pieces
  }

  /// Also closes connections that were never served.
  deinit { channel.close(promise: nil) }
}

/// Passes on a client once it has connected, and then the pieces it sends.
final class PieceHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let door: AsyncStream<Guest>.Continuation
  private let (stream, pieces) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
  /// Whether a requested piece has yet to arrive.
  private var isHungry = true

  init(_ door: AsyncStream<Guest>.Continuation) { self.door = door }
  func channelActive(context: ChannelHandlerContext) { door.yield(Guest(context.channel, stream)) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isHungry = false
    pieces.yield(unwrapInboundIn(data))
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // With TLS, the bytes may all have been part of the handshake.
    if isHungry { context.read() }
    isHungry = true
  }

  func channelInactive(context: ChannelHandlerContext) { pieces.finish() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    pieces.finish(throwing: error)
    context.close(promise: nil)
  }
}
