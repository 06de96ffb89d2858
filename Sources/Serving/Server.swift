internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Supporting

/// How much the clients of a server may use.
package struct ServerLimits: Sendable {
  /// How many connections may be open at once.
  package var connections = 16
  /// How long a connection may stay open without a request.
  package var idle = Duration.seconds(5)
  /// How long a client may take for each: sending a head, sending a body, reading an answer.
  package var transfer = Duration.seconds(5)
  /// How many connections may wait to be accepted.
  package var backlog = 64
  /// How many bytes are read at once. While a request is being answered, no more than these wait.
  package var pieceBytes = 1_024

  package init() {}
}

/// A small HTTP/1.1 server on one thread. It needs a few hundred KB, however many clients connect.
package struct Server: Sendable {
  /// The value of the `Server` field in each answer. `healthcheck` looks for it.
  package static let name = "push-enricher"
  /// The longest request line, headers and trailers, in bytes.
  private static let maximumHead = 8_192
  /// The most headers and trailers. Each takes about 200 bytes beside its text.
  private static let maximumFields = 64

  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let guests: Guests
  /// Where it listens. If port 0 was asked for, this has the port that the kernel chose.
  package let endpoint: Endpoint

  /// Starts a server, and returns once it listens.
  /// - Parameters:
  ///   - certificate: the certificate of a server with TLS; nil for a server without TLS.
  ///   - admitsAllHosts: whether requests at a loopback address may name any host: see `HostRule`.
  ///   - count: called with the status of each answer; with 499 if the client went away before that.
  package static func start(
    at endpoint: Endpoint, routes: [Route], limits: ServerLimits = ServerLimits(),
    with certificate: TLSCertificate? = nil, admitsAllHosts: Bool = false,
    counting count: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws(ServingError) -> Server {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let guests = Guests(maximum: limits.connections)
    let table = RouteTable(
      routes: routes, hosts: admitsAllHosts ? .none : HostRule(listeningAt: endpoint.address))
    do {
      let listener = try await bootstrap(on: group, table, within: limits, certificate, guests: guests, count)
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

  /// Stops listening. Closes each connection after its answer, at the latest after `limit`.
  package func stop(within limit: Duration = .zero) async {
    // An error means that the listener is closed already.
    try? await listener.close().get()
    await guests.leave(within: TimeAmount(limit), on: listener.eventLoop)
    try? await group.shutdownGracefully()
  }

  private static func bootstrap(
    on group: MultiThreadedEventLoopGroup, _ table: RouteTable, within limits: ServerLimits,
    _ certificate: TLSCertificate?, guests: Guests, _ count: @escaping @Sendable (Int) -> Void
  ) -> ServerBootstrap {
    var headLimits = NIOHTTPDecoderLimitConfiguration()
    headLimits.maxHeaderFieldSize = maximumHead
    headLimits.maxHeaderListSize = maximumHead
    headLimits.maxHeaderFieldCount = maximumFields
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: CInt(limits.backlog))
      // Lets the port be taken even if connections of a previous process are in TIME_WAIT.
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: limits.pieceBytes)
      )
      .childChannelInitializer { [headLimits] channel in
        guests.enter(channel)
        return channel.eventLoop.makeCompletedFuture {
          if let certificate {
            guard let tls = TLSHandler(certificate.context, within: TimeAmount(limits.transfer)) else {
              throw ServingError.certificateUnusable("there is no memory for TLS")
            }
            try channel.pipeline.syncOperations.addHandler(tls)
          }
          let meter = HeadMeter(guests)
          let decoder = HTTPRequestDecoder(limitConfiguration: headLimits)
          try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(), meter, ByteToMessageHandler(decoder, maximumBufferSize: 2 * maximumHead),
            Connection(table, within: limits, guests: guests, meter: meter, count),
          ])
        }
      }
  }
}
