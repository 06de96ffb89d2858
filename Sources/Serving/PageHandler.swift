internal import NIOCore
internal import NIOHTTP1

/// Answers one request, then closes: a client that asks every few seconds needs no connection in between.
final class PageHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart

  private let pages: [String: Page.Maker]
  private let hosts: HostRule
  private let maximumConnectionAge: TimeAmount
  private var request: HTTPRequestHead?
  private var isAnswered = false
  private var alarm: Scheduled<Void>?

  /// - Parameter maximumConnectionAge: when a connection is closed, answered or not.
  init(pages: [String: Page.Maker], hosts: HostRule, maximumConnectionAge: TimeAmount) {
    self.pages = pages
    self.hosts = hosts
    self.maximumConnectionAge = maximumConnectionAge
  }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    alarm = context.eventLoop.scheduleTask(in: maximumConnectionAge) { channel.close(promise: nil) }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    alarm?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): request = request ?? head
    case .body: break
    case .end:
      guard let request, !isAnswered else { return }
      isAnswered = true
      let isAdmitted = hosts.admits(request.headers.first(name: "Host"))
      Self.answer(request, with: isAdmitted ? pages : nil, over: context.channel)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private static func answer(
    _ request: HTTPRequestHead, with pages: [String: Page.Maker]?, over channel: any Channel
  ) {
    // On the threads that the rest of the program runs on: an answer shows that these get on, too.
    Task {
      let page = await page(for: request, of: pages)
      var headers = HTTPHeaders([
        ("Server", PageServer.name), ("Content-Type", page.kind.contentType),
        ("Content-Length", "\(page.text.utf8.count)"),
        ("Cache-Control", "no-store"), ("Content-Security-Policy", page.kind.policy),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Connection", "close"),
      ])
      if page.status == 405 { headers.add(name: "Allow", value: "GET, HEAD") }
      let head = HTTPResponseHead(
        version: .http1_1, status: HTTPResponseStatus(statusCode: page.status), headers: headers)
      channel.write(HTTPServerResponsePart.head(head), promise: nil)
      if request.method != .HEAD {
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: page.text))), promise: nil)
      }
      // Closed for good once the client has closed: what it may still be sending would have the kernel take
      // the answer back.
      channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
        channel.close(mode: .output, promise: nil)
      }
    }
  }

  private static func page(for request: HTTPRequestHead, of pages: [String: Page.Maker]?) async -> Page {
    guard let pages else {
      return Page(status: 421, "ask for it by the address that it is served at: this is not that host\n")
    }
    // Byte for byte: what strangers write may take long to compare as a text.
    let path = request.uri.utf8.prefix { $0 != UInt8(ascii: "?") }
    guard let maker = pages.first(where: { $0.key.utf8.elementsEqual(path) })?.value else {
      return Page(status: 404, "there are \(pages.keys.sorted().joined(separator: ", "))\n")
    }
    guard request.method == .GET || request.method == .HEAD else {
      return Page(status: 405, "ask for it with GET\n")
    }
    return await maker()
  }
}
