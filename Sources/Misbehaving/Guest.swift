internal import NIOCore

/// A client that has connected, and what it sends, piece by piece, each read when it is asked for.
final class Guest: AsyncSequence, Sendable {
  let channel: any Channel
  private let stream: AsyncThrowingStream<ByteBuffer, any Error>

  init(_ channel: any Channel, _ stream: AsyncThrowingStream<ByteBuffer, any Error>) {
    self.channel = channel
    self.stream = stream
  }

  /// Also of those that nobody has come to serve.
  deinit { channel.close(promise: nil) }

  func makeAsyncIterator() -> Iterator {
    Iterator(channel: channel, rest: stream.makeAsyncIterator())
  }

  struct Iterator: AsyncIteratorProtocol {
    let channel: any Channel
    var rest: AsyncThrowingStream<ByteBuffer, any Error>.Iterator

    /// - Throws: an error of NIO's where the connection broke.
    mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error)
      -> ByteBuffer?
    {
      channel.read()
      return try await rest.next(isolation: actor)
    }
  }
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
    door.yield(Guest(context.channel, stream))
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
