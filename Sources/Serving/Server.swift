internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Supporting

/// What clients of a server may take.
package struct ServerLimits: Sendable {
  /// Connections at once.
  package var connections = 16
  /// How long a connection may be open without a request.
  package var idle = Duration.seconds(5)
  /// How long each of these may take: the head of a request, its body, and reading the answer.
  package var transfer = Duration.seconds(5)

  package init() {}
}

/// A small HTTP/1.1 server on one thread. It takes some hundred KB, however many clients connect.
package struct Server: Sendable {
  /// The value of the field `Server` in each answer, which `healthcheck` looks for.
  package static let name = "push-enricher"
  /// Of a request's line, headers and trailers, in bytes.
  private static let maximumHead = 8_192
  /// Bytes that are read at once. No more of a connection waits for the answer to what came before.
  private static let pieceBytes = 1_024

  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let guests: Guests
  /// Has the port that the kernel chose instead of port 0.
  package let endpoint: Endpoint

  /// Returns once it listens.
  package static func start(
    at endpoint: Endpoint, routes: [Route], limits: ServerLimits = ServerLimits()
  ) async throws(ServingError) -> Server {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let guests = Guests(maximum: limits.connections)
    let table = RouteTable(routes: routes, hosts: HostRule(listeningAt: endpoint.address))
    do {
      let listener = try await bootstrap(on: group, table, within: limits, guests: guests)
        .bind(to: SocketAddress(ipAddress: endpoint.address, port: endpoint.port)).get()
      let bound = Endpoint(address: endpoint.address, port: listener.localAddress?.port ?? endpoint.port)
      return Server(group: group, listener: listener, guests: guests, endpoint: bound)
    } catch {
      try? await group.shutdownGracefully()
      let code = (error as? IOError)?.errnoCode
      if code == EADDRINUSE { throw .endpointTaken(endpoint) }
      throw .cannotListen(endpoint, detail: code.map { String(errno: $0) } ?? "\(error)")
    }
  }

  /// Listens no more, and closes each connection when its request is answered, at the latest after `limit`.
  package func stop(within limit: Duration = .zero) async {
    // An error means that it is closed already.
    try? await listener.close().get()
    await guests.leave(within: TimeAmount(limit), on: listener.eventLoop)
    try? await group.shutdownGracefully()
  }

  private static func bootstrap(
    on group: MultiThreadedEventLoopGroup, _ table: RouteTable, within limits: ServerLimits, guests: Guests
  ) -> ServerBootstrap {
    var headLimits = NIOHTTPDecoderLimitConfiguration()
    headLimits.maxHeaderFieldSize = maximumHead
    headLimits.maxHeaderListSize = maximumHead
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 64)
      // Connections that a predecessor has left in TIME_WAIT do not keep the port taken.
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: pieceBytes))
      .childChannelInitializer { [headLimits] channel in
        guests.enter(channel)
        return channel.eventLoop.makeCompletedFuture {
          let decoder = HTTPRequestDecoder(limitConfiguration: headLimits)
          try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(), ByteToMessageHandler(decoder, maximumBufferSize: 2 * maximumHead),
            Connection(table, within: limits, guests: guests),
          ])
        }
      }
  }
}
