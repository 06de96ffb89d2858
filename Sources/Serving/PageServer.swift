internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Supporting

/// A small HTTP server for the people and programs that monitor this one: one thread, few connections, short
/// requests.
///
/// It takes some hundred KB, however many clients connect and however often.
package struct PageServer: Sendable {
  /// The value of the field `Server` in each answer (RFC 9110 section 10.2.4). `healthcheck` believes nobody else.
  package static let name = "push-enricher"
  /// Connections at once.
  private static let maximumConnections = 16
  /// Bytes that may come over a connection.
  private static let maximumBytes = 8_192

  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  /// Where it listens; instead of port 0, the port that the kernel chose.
  package let endpoint: Endpoint

  /// Returns once it listens.
  /// - Parameters:
  ///   - pages: by their paths, which start with a slash.
  ///   - maximumConnectionAge: when a connection is closed, answered or not.
  /// - Throws: `ServingError.endpointTaken`, `.cannotListen`.
  package static func start(
    at endpoint: Endpoint, pages: [String: Page.Maker], maximumConnectionAge: Duration = .seconds(5)
  ) async throws(ServingError) -> PageServer {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let listener = try await bootstrap(
        on: group, pages: pages, hosts: HostRule(listeningAt: endpoint.address),
        maximumConnectionAge: TimeAmount(maximumConnectionAge)
      )
      .bind(to: SocketAddress(ipAddress: endpoint.address, port: endpoint.port)).get()
      let port = listener.localAddress?.port ?? endpoint.port
      return PageServer(
        group: group, listener: listener, endpoint: Endpoint(address: endpoint.address, port: port))
    } catch {
      try? await group.shutdownGracefully()
      let code = (error as? IOError)?.errnoCode
      if code == EADDRINUSE { throw .endpointTaken(endpoint) }
      throw .cannotListen(
        endpoint, detail: code.map { String(errno: $0) } ?? "\(error)")
    }
  }

  /// Closes it, and all of its connections.
  package func stop() async {
    // An error means that it is closed already.
    try? await listener.close().get()
    try? await group.shutdownGracefully()
  }

  private static func bootstrap(
    on group: MultiThreadedEventLoopGroup, pages: [String: Page.Maker], hosts: HostRule,
    maximumConnectionAge: TimeAmount
  ) -> ServerBootstrap {
    let guests = Guests(maximum: maximumConnections)
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 64)
      // Connections that a predecessor has left in TIME_WAIT do not keep the port taken.
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1_024))
      .childChannelInitializer { channel in
        guests.enter(channel)
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            ByteLimit(maximum: maximumBytes), HTTPResponseEncoder(),
            ByteToMessageHandler(HTTPRequestDecoder()), HTTPServerProtocolErrorHandler(),
            PageHandler(pages: pages, hosts: hosts, maximumConnectionAge: maximumConnectionAge),
          ])
        }
      }
  }
}
