internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Serves the files of one folder over HTTP on a free loopback port, and 404 for what is not there.
struct DemoMediaServer {
  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel

  /// `http://127.0.0.1:PORT`
  let origin: String
  let port: Int

  /// - Parameter files: the content of each file by its name.
  static func start(serving files: [String: [UInt8]]) async throws -> DemoMediaServer {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let channel = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(FileHandler(files: files))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = channel.localAddress?.port ?? 0
    return DemoMediaServer(group: group, channel: channel, origin: "http://127.0.0.1:\(port)", port: port)
  }

  func stop() async throws {
    try await channel.close().get()
    try await group.shutdownGracefully()
  }
}

private final class FileHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let files: [String: [UInt8]]
  private var path = ""

  init(files: [String: [UInt8]]) { self.files = files }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): path = String(head.uri.prefix { $0 != "?" }.drop { $0 == "/" })
    case .body: break
    case .end: answer(context)
    }
  }

  private func answer(_ context: ChannelHandlerContext) {
    let body = files[path]
    let headers = HTTPHeaders([("Content-Length", "\(body?.count ?? 0)")])
    let status = body == nil ? HTTPResponseStatus.notFound : .ok
    context.write(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))),
      promise: nil)
    if let body {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}
