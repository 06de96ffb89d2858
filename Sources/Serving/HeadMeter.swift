internal import NIOCore

/// Counts the bytes of a request's head before they are decoded, so that `Guests` can limit what all heads take.
final class HeadMeter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  enum Stage {
    case head
    case body
    /// The last answer is written. What the client still sends is dropped.
    case end
  }

  private let guests: Guests
  var stage = Stage.head

  init(_ guests: Guests) { self.guests = guests }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard stage != .end else { return }
    if stage == .head { guests.add(unwrapInboundIn(data).readableBytes, toHeadOf: context.channel) }
    // The connection of the longest head is closed if there is no room, and that may be this one.
    guard context.channel.isActive else { return }
    context.fireChannelRead(data)
  }
}
