internal import NIOCore
internal import NIOHTTP1

/// Serves one connection, request by request. While a route is answering, nothing is read, and the
/// parts of later requests that have been read wait.
final class Connection: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = Response
  typealias OutboundOut = HTTPServerResponsePart

  private enum Phase {
    /// No byte of a request has arrived.
    case idle
    case reading
    /// The route is working, or its answer is being sent.
    case answering
    /// The last answer is written. If the client is still sending, closing now would reset the
    /// connection, and the client could lose the answer.
    case closing
  }

  /// How many parts of later requests may wait. If there are more, the connection is closed.
  private static let maximumParts = 128

  private let table: RouteTable
  private let limits: ServerLimits
  private let guests: Guests
  private let meter: HeadMeter
  private let count: (Int) -> Void
  private var phase = Phase.idle
  private var head: HTTPRequestHead?
  private var route: Route?
  private var body: [UInt8] = []
  /// Bytes of the current body in the room of its route, until the answer is written.
  private var held = 0
  private var parts: [HTTPServerRequestPart] = []
  private var task: Task<Void, Never>?
  /// When the current phase has taken too long. Nil while a route is answering.
  private var due: NIODeadline?
  private var alarm: (task: Scheduled<Void>, time: NIODeadline)?
  private var origin: SocketAddress?
  /// The refusal to send after the waiting requests are answered. Set once nothing more can be read.
  private var end: Refusal?
  /// Whether the connection ends after the answer to this request.
  private var isLast = false
  /// Whether the answer to this request is being sent.
  private var isWriting = false

  init(
    _ table: RouteTable, within limits: ServerLimits, guests: Guests, meter: HeadMeter,
    _ count: @escaping (Int) -> Void
  ) {
    self.table = table
    self.limits = limits
    self.guests = guests
    self.meter = meter
    self.count = count
  }

  func channelActive(context: ChannelHandlerContext) {
    origin = context.remoteAddress
    wait(limits.idle, context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    alarm?.task.cancel()
    if phase == .answering {
      task?.cancel()
      if !isWriting { count(499) }
    }
    // An answer that comes now is not counted as well.
    phase = .closing
    leaveRoom()
    parts = []
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    meter.take(part)
    take(part, context)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if phase == .idle {
      // Some bytes arrived, but not a whole head.
      phase = .reading
      wait(limits.transfer, context)
    }
    context.fireChannelReadComplete()
  }

  func read(context: ChannelHandlerContext) { if phase != .answering { context.read() } }

  /// Called when the decoder or the channel fails. Requests read before are answered first.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A client that has gone, even in the middle of a request, gets no answer that could be counted.
    guard context.channel.isActive, !(error is IOError) else { return context.close(promise: nil) }
    end = error as? HTTPParserError == .headerOverflow ? .longHead : .malformed
    refuseEnd(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
    isLast = true
    if phase == .idle { context.close(promise: nil) }
  }

  private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch (phase, part) {
    case (.closing, _): break
    case (.answering, _):
      parts.append(part)
      if parts.count > Self.maximumParts { context.close(promise: nil) }
    case (_, .head(let head)): begin(head, context)
    case (_, .body(let piece)): add(piece, context)
    case (_, .end): answer(context)
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let head = head.trimmed
    self.head = head
    guests.setHead(of: context.channel, to: head.length)
    guard !isLast else { return refuse(.stopping, context) }
    // The decoder stops parsing after these requests.
    isLast = head.method == .CONNECT || head.headers.contains(name: "Upgrade")
    do throws(Refusal) { route = try table.route(for: head, from: origin) } catch {
      return refuse(error, context)
    }
    phase = .reading
    wait(limits.transfer, context)
    guard !head.expectation.isEmpty else { return }
    let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
    context.writeAndFlush(wrapOutboundOut(.head(goOn)), promise: nil)
  }

  private func add(_ piece: ByteBuffer, _ context: ChannelHandlerContext) {
    guard let route, let head else { return }
    let length = body.count + piece.readableBytes
    guard length <= route.bodyLimit else { return refuse(.tooLarge(for: route), context) }
    if let room = route.room {
      guard room.take(piece.readableBytes) else { return refuse(.crowded, context) }
      held += piece.readableBytes
    }
    // With a room, only what arrives takes memory: a client may announce more than it sends.
    if body.isEmpty { body.reserveCapacity(route.room == nil ? max(length, head.bodyLength) : length) }
    body.append(contentsOf: piece.readableBytesView)
  }

  private func answer(_ context: ChannelHandlerContext) {
    guard let route, let head else { return }
    (phase, due) = (.answering, nil)
    let channel = context.channel
    guests.mark(channel, isAnswered: true)
    let request = Request(head: head, body: body, origin: origin)
    body = []
    // Runs on the program's shared threads: an answer shows that they make progress.
    task = Task { channel.writeAndFlush(await route.handler(request), promise: nil) }
  }

  /// Sends the answer of a route.
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard phase == .answering else { promise?.fail(ChannelError.ioOnClosedChannel); return }
    guests.mark(context.channel, isAnswered: false)
    send(unwrapOutboundIn(data), context)
    promise?.succeed()
  }

  private func refuse(_ refusal: Refusal, _ context: ChannelHandlerContext) {
    isLast = true
    send(refusal.response, context)
  }

  private func refuseEnd(_ context: ChannelHandlerContext) {
    if let end, phase != .answering, phase != .closing { refuse(end, context) }
  }

  private func leaveRoom() {
    route?.room?.give(held)
    held = 0
  }

  private func send(_ response: Response, _ context: ChannelHandlerContext) {
    count(response.status)
    isWriting = true
    let closes = isLast || response.closes || head?.isKeepAlive != true || head?.version != .http1_1
    var headers = HTTPHeaders([("Server", Server.name)])
    if let type = response.contentType { headers.add(name: "Content-Type", value: type) }
    headers.add(name: "Content-Length", value: "\(response.body.count)")
    for field in response.fields { headers.add(name: field.name, value: field.value) }
    if closes, !response.closes { headers.add(name: "Connection", value: "close") }
    let status = HTTPResponseStatus(statusCode: response.status)
    let line = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(line)), promise: nil)
    if head?.method != .HEAD {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
    }
    if closes { (phase, meter.isOver) = (.closing, true) }
    (head, body) = (nil, [])
    wait(limits.transfer, context)
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenSuccess { [self] in
      leaveRoom()
      if closes { context.close(mode: .output, promise: nil) } else { goOn(context) }
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
  }

  /// Gets ready for the next request.
  private func goOn(_ context: ChannelHandlerContext) {
    guard !isLast else { return context.close(promise: nil) }
    phase = .idle
    isWriting = false
    (route, task) = (nil, nil)
    wait(limits.idle, context)
    let waiting = parts
    parts = []
    for part in waiting { take(part, context) }
    refuseEnd(context)
    read(context: context)
  }

  /// Ends the current phase if it takes longer than `limit`. Keeps an alarm that goes off before that: almost all
  /// phases are short, and setting an alarm for each took a tenth of the time of a request.
  private func wait(_ limit: Duration, _ context: ChannelHandlerContext) {
    let due = NIODeadline.now() + TimeAmount(limit)
    self.due = due
    if let alarm, alarm.time <= due { return }
    alarm?.task.cancel()
    setAlarm(at: due, context)
  }

  private func setAlarm(at time: NIODeadline, _ context: ChannelHandlerContext) {
    let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) { [self] in
      alarm = nil
      guard let due else { return }
      guard due <= .now() else { return setAlarm(at: due, context) }
      switch phase {
      case .reading: refuse(.slow, context)
      case .idle, .answering, .closing: context.close(promise: nil)
      }
    }
    alarm = (task, time)
  }
}
