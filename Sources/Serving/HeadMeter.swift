internal import NIOCore
internal import NIOHTTP1

/// Counts the bytes that stay in the decoder because a head, or the trailers of a body, are not complete yet. So
/// `Guests` can limit what all of them take.
final class HeadMeter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let guests: Guests
  /// Whether the last answer is written. What the client still sends is dropped.
  var isOver = false
  /// Bytes of the present read that no part has taken.
  private var left = 0
  /// The same with earlier reads: what the decoder keeps.
  private var kept = 0

  init(_ guests: Guests) { self.guests = guests }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver, context.channel.isActive else { return }
    left = unwrapInboundIn(data).readableBytes
    kept += left
    context.fireChannelRead(data)
    // After decoding, because a body may have come with its head.
    guests.setRest(of: context.channel, to: kept)
  }

  /// Called with each part while its last bytes are decoded.
  func take(_ part: HTTPServerRequestPart) {
    switch part {
    case .head(let head): left -= head.length
    case .body(let piece): left -= piece.readableBytes
    case .end: break
    }
    left = max(0, left)
    kept = left
  }
}
