internal import CRabbitMQ
internal import Glibc
internal import Queueing

/// A logged-in connection to a broker. Use it from one thread at a time: librabbitmq has no locks.
@safe struct AMQPConnection: ~Copyable {
  /// Seconds between heartbeats. librabbitmq gives up on a peer after two intervals without one.
  private static let heartbeat: Int32 = 10
  /// In bytes, the default of most brokers. The properties of a message must fit into one frame.
  static let usualFrameLength: Int32 = 131_072
  /// How much longer an incoming frame may be. The broker adds headers of its own, such as `x-delivery-count`
  /// and `x-death`, to properties that filled a frame, and sends the longer frame.
  static let tolerance: Int32 = 16_384
  /// Limits connecting, and then each reply until the login is done.
  private static let connectTimeout = timeval(tv_sec: 10, tv_usec: 0)

  let server: RabbitMQURL.Server
  /// The longest frame that the broker reads.
  let frameLength: Int
  private let handle: amqp_connection_state_t
  private var contents: [amqp_channel_t: AMQPContent] = [:]

  /// Connects and logs in. Blocks for at most 20 s plus the time of the name lookup.
  /// - Parameter certificateFile: see `Queues.certificateFile`.
  init(to server: RabbitMQURL.Server, certificateFile: String?) throws(QueueError) {
    guard let handle = unsafe amqp_new_connection() else {
      throw QueueError(connecting: AMQP_STATUS_NO_MEMORY.rawValue, to: server)
    }
    var isLoggedIn = false
    defer { if !isLoggedIn { unsafe amqp_destroy_connection(handle) } }
    unsafe try Self.connect(handle, to: server, certificateFile)
    let frameLength = unsafe try Self.logIn(handle, to: server)
    isLoggedIn = true
    self.frameLength = Int(frameLength)
    self.server = server
    unsafe self.handle = handle
  }

  // Skips AMQP's closing handshake: the broker takes deliveries back without it.
  deinit { unsafe amqp_destroy_connection(handle) }

  private static func connect(
    _ handle: amqp_connection_state_t, to server: RabbitMQURL.Server, _ certificateFile: String?
  ) throws(QueueError) {
    guard let socket = unsafe server.isSecure ? amqp_ssl_socket_new(handle) : amqp_tcp_socket_new(handle)
    else { throw QueueError(connecting: AMQP_STATUS_NO_MEMORY.rawValue, to: server) }
    if server.isSecure, unsafe amqp_verify_host(socket, server.host, certificateFile) == 0 {
      throw .refused("the certificates of \(certificateFile ?? "the system") cannot be read")
    }
    var timeout = connectTimeout
    let status = unsafe amqp_socket_open_noblock(socket, server.host, Int32(server.port), &timeout)
    guard status == AMQP_STATUS_OK.rawValue else { throw QueueError(connecting: status, to: server) }
    // In milliseconds. Ends a connection whose peer does not read: librabbitmq would wait forever.
    unsafe set(TCP_USER_TIMEOUT, of: amqp_get_sockfd(handle), to: 30_000)
    unsafe amqp_set_handshake_timeout(handle, &timeout)
    unsafe amqp_set_rpc_timeout(handle, &timeout)
  }

  private static func set(_ option: Int32, of descriptor: Int32, to value: Int32) {
    var value = value
    unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// - Returns: the longest frame that the broker reads.
  private static func logIn(
    _ handle: amqp_connection_state_t, to server: RabbitMQURL.Server
  ) throws(QueueError) -> Int32 {
    let password = try server.currentPassword
    let pool = AMQPPool()
    let names = ["connection.blocked", "consumer_cancel_notify", "basic.nack", "publisher_confirms"]
    let abilities = unsafe pool.table(names.map { unsafe pool.entry($0, flag: true) })
    var properties = unsafe pool.table([
      pool.entry("product", text: "push-enricher"), pool.entry("capabilities", table: abilities),
    ])
    let reply = unsafe amqp_login_plain(
      handle, server.vhost, usualFrameLength, heartbeat, &properties, server.user, password)
    if let failure = unsafe QueueError(loggingIn: reply, to: server) { throw failure }
    // Only sets the limit of this side. Allowed here, because no frame has arrived in part: the library has
    // read the last reply of the login.
    let length = unsafe amqp_get_frame_max(handle)
    let status = unsafe amqp_tune_connection(
      handle, amqp_get_channel_max(handle), length + tolerance, amqp_get_heartbeat(handle))
    guard status == AMQP_STATUS_OK.rawValue else { throw QueueError(connecting: status, to: server) }
    return length
  }

  var descriptor: Int32 { unsafe amqp_get_sockfd(handle) }

  func send(
    _ method: amqp_method_number_t, _ arguments: some BitwiseCopyable, on channel: amqp_channel_t
  ) throws(QueueError) {
    var arguments = arguments
    try check(unsafe amqp_send_method(handle, channel, method, &arguments))
  }

  /// Publishes a message. The broker returns the message if no queue gets it. `amqp_basic_publish` would send
  /// longer pieces of a body than the broker reads, because of `tolerance`.
  func publish(
    _ body: [UInt8], _ properties: amqp_basic_properties_t, exchange: amqp_bytes_t, routingKey: amqp_bytes_t,
    on channel: amqp_channel_t
  ) throws(QueueError) {
    let publish = unsafe amqp_basic_publish_t(
      ticket: 0, exchange: exchange, routing_key: routingKey, mandatory: 1, immediate: 0)
    unsafe try send(AMQP_BASIC_PUBLISH_METHOD, publish, on: channel)
    var frame = unsafe amqp_frame_t()
    unsafe frame.channel = channel
    unsafe frame.frame_type = UInt8(AMQP_FRAME_HEADER)
    unsafe frame.payload.properties.class_id = UInt16(AMQP_BASIC_CLASS)
    unsafe frame.payload.properties.body_size = UInt64(body.count)
    var properties = unsafe properties
    let status = unsafe withUnsafeMutablePointer(to: &properties) { properties in
      unsafe frame.payload.properties.decoded = UnsafeMutableRawPointer(properties)
      return unsafe amqp_send_frame(handle, &frame)
    }
    try check(status)
    unsafe try sendPieces(of: body, in: frame)
  }

  /// - Parameter frame: belongs to the same message.
  private func sendPieces(of body: [UInt8], in frame: amqp_frame_t) throws(QueueError) {
    var frame = unsafe frame
    unsafe frame.frame_type = UInt8(AMQP_FRAME_BODY)
    // The frame itself takes 8 bytes.
    let longestPiece = max(1, frameLength - 8)
    let status = unsafe body.withUnsafeBytes { body in
      for start in stride(from: 0, to: body.count, by: longestPiece) {
        let piece = unsafe UnsafeRawBufferPointer(rebasing: body[start...].prefix(longestPiece))
        unsafe frame.payload.body_fragment = amqp_bytes_t(
          len: piece.count, bytes: .init(mutating: piece.baseAddress))
        let status = unsafe amqp_send_frame(handle, &frame)
        if status != AMQP_STATUS_OK.rawValue { return status }
      }
      return AMQP_STATUS_OK.rawValue
    }
    try check(status)
  }

  /// Holds back output while corked (tcp(7)), so that a broker writes more to its disk at once.
  func setCorked(_ isCorked: Bool) { Self.set(TCP_CORK, of: descriptor, to: isCorked ? 1 : 0) }

  /// Returns the next event, or nil if none arrives by `end`. Sends a heartbeat when one is due.
  /// - Throws: `QueueError.unavailable` if the connection is broken.
  mutating func next(until end: ContinuousClock.Instant) throws(QueueError) -> AMQPEvent? {
    while true {
      unsafe amqp_maybe_release_buffers(handle)
      var frame = unsafe amqp_frame_t()
      let rest = max(.zero, ContinuousClock.now.duration(to: end)).components
      var timeout = timeval(tv_sec: Int(rest.seconds), tv_usec: Int(rest.attoseconds / 1_000_000_000_000))
      let status = unsafe amqp_simple_wait_frame_noblock(handle, &frame, &timeout)
      if status == AMQP_STATUS_TIMEOUT.rawValue { return nil }
      try check(status)
      if let event = unsafe try event(of: frame) { return event }
    }
  }

  /// Returns nil if the frame does not complete an event.
  private mutating func event(of frame: amqp_frame_t) throws(QueueError) -> AMQPEvent? {
    let channel = unsafe frame.channel
    switch Int32(unsafe frame.frame_type) {
    case AMQP_FRAME_METHOD:
      let method = unsafe frame.payload.method
      contents[channel] = unsafe AMQPContent(method)
      if contents[channel] != nil { return nil }
      if unsafe method.id == AMQP_CONNECTION_CLOSE_METHOD {
        try? send(AMQP_CONNECTION_CLOSE_OK_METHOD, amqp_connection_close_ok_t(), on: 0)
      } else if unsafe method.id == AMQP_CHANNEL_CLOSE_METHOD {
        try send(AMQP_CHANNEL_CLOSE_OK_METHOD, amqp_channel_close_ok_t(), on: channel)
      }
      return unsafe AMQPEvent(method)
    case AMQP_FRAME_HEADER:
      unsafe contents[channel]?.begin(
        properties: frame.payload.properties.decoded, length: frame.payload.properties.body_size)
    case AMQP_FRAME_BODY: unsafe contents[channel]?.append(frame.payload.body_fragment)
    default: return nil
    }
    guard contents[channel]?.isComplete == true else { return nil }
    return contents.removeValue(forKey: channel)?.event
  }

  private func check(_ status: Int32) throws(QueueError) {
    if status == AMQP_STATUS_OK.rawValue { return }
    throw server.unavailable("is gone: \(QueueError.text(status))")
  }
}
