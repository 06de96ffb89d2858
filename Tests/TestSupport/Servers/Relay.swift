import NIOCore
import NIOPosix

/// Lets the first message of AMQP (0-9-1, section 4.2.3) that a broker hands out pass, and holds back all
/// behind it until it is opened.
package final class Gate: Sendable {
  fileprivate let opened = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)

  package init() {}

  package func open() { opened.succeed() }
}

/// Runs `body` with a port of 127.0.0.1 that leads to another, where a broker is. The bytes pass on the event
/// loop alone: what other tests do on the threads of tasks does not hold them up.
package func withRelay(to port: Int, through gate: Gate, _ body: (Int) async throws -> Void) async throws {
  defer { gate.open() }
  let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    // Nothing is read of a client before there is somebody to pass it on to.
    .childChannelOption(.autoRead, value: false)
    .childChannelInitializer { client in
      ClientBootstrap(group: client.eventLoop).connect(host: "127.0.0.1", port: port).flatMapThrowing {
        broker in
        try client.pipeline.syncOperations.addHandler(Forwarder(to: broker))
        try broker.pipeline.syncOperations.addHandler(Messages(to: client, through: gate))
        client.setOption(.autoRead, value: true).whenSuccess { client.read() }
      }
    }
    .bind(host: "127.0.0.1", port: 0).get()
  do {
    try await body(server.localAddress?.port ?? 0)
  } catch {
    try await server.close()
    throw error
  }
  try await server.close()
}

/// Passes on what it reads.
private final class Forwarder: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let partner: any Channel

  init(to partner: any Channel) { self.partner = partner }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    partner.writeAndFlush(unwrapInboundIn(data), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { partner.close(promise: nil) }
}

/// Passes on whole frames, and none behind the first message as long as the gate is closed.
private final class Messages: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let client: any Channel
  private let gate: Gate
  private var rest = ByteBuffer()
  private var isOpen = false
  private var isHeld = false

  init(to client: any Channel, through gate: Gate) {
    self.client = client
    self.gate = gate
  }

  func handlerAdded(context: ChannelHandlerContext) {
    gate.opened.futureResult.hop(to: context.eventLoop).assumeIsolated().whenSuccess { [self] in
      isOpen = true
      isHeld = false
      pass()
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    rest.writeImmutableBuffer(unwrapInboundIn(data))
    pass()
  }

  func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }

  private func pass() {
    while !isHeld, let frame = nextFrame(&rest) {
      // The end of a message.
      isHeld = !isOpen && frame.getInteger(at: frame.readerIndex, as: UInt8.self) == 3
      client.writeAndFlush(frame, promise: nil)
    }
  }
}

/// Type, channel, length, so many bytes, and an end.
private func nextFrame(_ bytes: inout ByteBuffer) -> ByteBuffer? {
  guard let length = bytes.getInteger(at: bytes.readerIndex + 3, as: UInt32.self) else { return nil }
  return bytes.readSlice(length: Int(length) + 8)
}
