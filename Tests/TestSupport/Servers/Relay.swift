import NIOCore
import NIOPosix

/// Lets the first message of AMQP (0-9-1, section 4.2.3) that a broker delivers pass, and holds
/// back everything after it until it is opened.
package final class Gate: Sendable {
  fileprivate let opened = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)

  package init() {}

  package func open() { opened.succeed() }
}

/// Runs `body` with a port of 127.0.0.1 that leads to the port of a broker. Bytes pass on the event
/// loop alone, so that other tests, which keep the threads of tasks busy, do not delay them.
package func withRelay(to port: Int, through gate: Gate, _ body: (Int) async throws -> Void) async throws {
  defer { gate.open() }
  let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    .childChannelInitializer { client in
      client.eventLoop.makeCompletedFuture {
        try client.pipeline.syncOperations.addHandler(Questions(to: port, through: gate))
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

/// Passes on the bytes of a client once there is a connection to the broker.
private final class Questions: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let port: Int
  private let gate: Gate
  private var broker: (any Channel)?
  private var early = ByteBuffer()

  init(to port: Int, through gate: Gate) {
    self.port = port
    self.gate = gate
  }

  func channelActive(context: ChannelHandlerContext) {
    let client = context.channel
    ClientBootstrap(group: context.eventLoop)
      .channelInitializer { [gate] broker in
        broker.eventLoop.makeCompletedFuture {
          try broker.pipeline.syncOperations.addHandler(Messages(to: client, through: gate))
        }
      }
      .connect(host: "127.0.0.1", port: port).assumeIsolated().whenComplete { [self] result in
        guard case .success(let broker) = result else { return client.close(promise: nil) }
        self.broker = broker
        broker.writeAndFlush(early, promise: nil)
      }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    if let broker { broker.writeAndFlush(bytes, promise: nil) } else { early.writeImmutableBuffer(bytes) }
  }

  func channelInactive(context: ChannelHandlerContext) { broker?.close(promise: nil) }
}

/// Passes on whole frames. While the gate is closed, it passes on none after the first message.
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

/// A frame has a type, a channel, a length, that many bytes, and an end octet.
private func nextFrame(_ bytes: inout ByteBuffer) -> ByteBuffer? {
  guard let length = bytes.getInteger(at: bytes.readerIndex + 3, as: UInt32.self) else { return nil }
  return bytes.readSlice(length: Int(length) + 8)
}
