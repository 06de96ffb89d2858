internal import NIOCore

/// A connected client, and the pieces it sends. Each is read when `channel.read()` asks for it.
final class Guest: Sendable {
  let channel: any Channel
  let pieces: AsyncThrowingStream<ByteBuffer, any Error>

  init(_ channel: any Channel, _ pieces: AsyncThrowingStream<ByteBuffer, any Error>) {
    self.channel = channel
    self.pieces = pieces
  }

  /// Also closes the connections that nobody has come to serve.
  deinit { channel.close(promise: nil) }
}

/// Hands on a client once it has connected, and then the pieces it sends.
final class PieceHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let door: AsyncStream<Guest>.Continuation
  private let (stream, pieces) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
  /// Whether a requested piece is being waited for.
  private var isHungry = true

  init(_ door: AsyncStream<Guest>.Continuation) { self.door = door }
  func channelActive(context: ChannelHandlerContext) { door.yield(Guest(context.channel, stream)) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isHungry = false
    pieces.yield(unwrapInboundIn(data))
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // With TLS, the bytes may have been part of the handshake.
    if isHungry { context.read() }
    isHungry = true
  }

  func channelInactive(context: ChannelHandlerContext) { pieces.finish() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    pieces.finish(throwing: error)
    context.close(promise: nil)
  }
}
