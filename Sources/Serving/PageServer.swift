internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Supporting

/// A small HTTP server for people and programs that look after this one: one thread, few connections, short requests.
///
/// It takes some hundred KB, whoever connects and however often.
package struct PageServer: Sendable {
  /// Connections at once.
  private static let maximumConnections = 16
  /// Bytes that may come over a connection.
  private static let maximumBytes = 8_192

  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  /// Where it listens, with the port that port 0 has come to be.
  package let endpoint: Endpoint

  /// Returns once it listens.
  /// - Parameters:
  ///   - pages: by their paths, which start with a slash.
  ///   - patience: how long a connection may last.
  /// - Throws: `ServingError.endpointTaken`, `.cannotListen`.
  package static func start(
    at endpoint: Endpoint, pages: [String: Page.Maker], patience: Duration = .seconds(5)
  ) async throws(ServingError) -> PageServer {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let listener = try await bootstrap(
        on: group, pages: pages, hosts: HostRule(listeningAt: endpoint.address),
        patience: TimeAmount(patience)
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
    // What is closed already is as good.
    try? await listener.close().get()
    try? await group.shutdownGracefully()
  }

  private static func bootstrap(
    on group: MultiThreadedEventLoopGroup, pages: [String: Page.Maker], hosts: HostRule, patience: TimeAmount
  ) -> ServerBootstrap {
    let guests = Guests(maximum: maximumConnections)
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 64)
      // What a predecessor has left in TIME_WAIT is in nobody's way.
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1_024))
      .childChannelInitializer { channel in
        guests.enter(channel)
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            ByteLimit(maximum: maximumBytes), HTTPResponseEncoder(),
            ByteToMessageHandler(HTTPRequestDecoder()), HTTPServerProtocolErrorHandler(),
            PageHandler(pages: pages, hosts: hosts, patience: patience),
          ])
        }
      }
  }
}
