internal import NIOCore

/// What a client sends, piece by piece, each read when it is asked for.
struct Pieces: AsyncSequence, Sendable {
  let channel: any Channel
  let stream: AsyncThrowingStream<ByteBuffer, any Error>

  func makeAsyncIterator() -> Iterator { Iterator(channel: channel, rest: stream.makeAsyncIterator()) }

  struct Iterator: AsyncIteratorProtocol {
    let channel: any Channel
    var rest: AsyncThrowingStream<ByteBuffer, any Error>.Iterator

    /// - Throws: an error of NIO's where the connection broke.
    mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ByteBuffer? {
      channel.read()
      return try await rest.next(isolation: actor)
    }
  }
}

/// A client that has connected.
final class Guest: Sendable {
  let channel: any Channel
  let pieces: Pieces

  init(_ channel: any Channel, _ pieces: Pieces) {
    self.channel = channel
    self.pieces = pieces
  }

  /// Also of those that nobody has come to serve.
  deinit { channel.close(promise: nil) }
}

/// Hands on the client that has connected, and then what it sends.
final class PieceHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let door: AsyncStream<Guest>.Continuation
  private let pieces: AsyncThrowingStream<ByteBuffer, any Error>.Continuation
  private let stream: AsyncThrowingStream<ByteBuffer, any Error>
  /// Whether a requested piece is being waited for.
  private var isHungry = true

  init(_ door: AsyncStream<Guest>.Continuation) {
    self.door = door
    (stream, pieces) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
  }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    door.yield(Guest(channel, Pieces(channel: channel, stream: stream)))
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isHungry = false
    pieces.yield(unwrapInboundIn(data))
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // Of TLS, what came may have been for the handshake.
    if isHungry { context.read() }
    isHungry = true
    context.fireChannelReadComplete()
  }

  func channelInactive(context: ChannelHandlerContext) {
    pieces.finish()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    pieces.finish(throwing: error)
    context.close(promise: nil)
  }
}
