internal import COpenSSL
internal import NIOCore

/// TLS on an accepted connection: OpenSSL works on two memory buffers (`BIO_s_mem(3)`) inside NIO. For the next
/// handlers, the connection begins when the handshake is done. If the handshake fails, they only learn of the end.
@safe final class TLSHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private static let pieceBytes = 4_096

  private let tls: OpaquePointer
  /// The buffers from the client to OpenSSL, and back. `tls` owns them.
  private let incoming, outgoing: OpaquePointer
  private let limit: TimeAmount
  private var alarm: Scheduled<Void>?
  private var isOpen = false
  /// Whether close_notify has been sent (RFC 8446 section 6.1).
  private var hasEnded = false
  /// Whether the next handlers have got something since the last `channelReadComplete`.
  private var hasRead = false
  /// What is written until the next flush goes into one record.
  private var waiting = ByteBuffer()
  private var written: EventLoopPromise<Void>?

  /// - Parameter limit: how long the handshake may take.
  /// - Returns: nil if memory is short.
  init?(_ context: TLSContext, within limit: TimeAmount) {
    guard let tls = unsafe SSL_new(context.pointer) else { return nil }
    guard let incoming = unsafe BIO_new(BIO_s_mem()), let outgoing = unsafe BIO_new(BIO_s_mem()) else {
      unsafe SSL_free(tls)
      return nil
    }
    unsafe SSL_set_bio(tls, incoming, outgoing)
    unsafe SSL_set_accept_state(tls)
    unsafe (self.tls, self.incoming, self.outgoing) = (tls, incoming, outgoing)
    self.limit = limit
  }

  deinit { unsafe SSL_free(tls) }

  func channelActive(context: ChannelHandlerContext) {
    alarm = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { context.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    alarm?.cancel()
    written?.fail(ChannelError.ioOnClosedChannel)
    written = nil
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    // Takes all of it, or nothing if memory is short.
    let count = unsafe bytes.withUnsafeReadableBytes {
      unsafe BIO_write(incoming, $0.baseAddress, Int32(clamping: $0.count))
    }
    guard Int(count) == bytes.readableBytes else { return context.close(promise: nil) }
    guard isOpen || shakeHands(context) else { return }
    let goesOn = deliver(context)
    // Answers to the protocol's own messages, such as new keys (RFC 8446 section 4.6.3).
    send(context, promise: nil)
    // A client that asks for such answers and does not read them would fill the memory.
    if !goesOn || !context.channel.isWritable { context.close(promise: nil) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if hasRead { context.fireChannelReadComplete() }
    hasRead = false
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if isOpen { context.fireErrorCaught(error) } else { context.close(promise: nil) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard isOpen, !hasEnded else { promise?.fail(ChannelError.ioOnClosedChannel); return }
    var bytes = unwrapOutboundIn(data)
    waiting.writeBuffer(&bytes)
    guard let promise else { return }
    if let written { written.futureResult.cascade(to: promise) } else { written = promise }
  }

  func flush(context: ChannelHandlerContext) {
    let promise = written
    written = nil
    if waiting.readableBytes > 0 {
      ERR_clear_error()
      let count = unsafe waiting.withUnsafeReadableBytes {
        unsafe SSL_write(tls, $0.baseAddress, Int32(clamping: $0.count))
      }
      let isTaken = Int(count) == waiting.readableBytes
      waiting = ByteBuffer()
      guard isTaken else {
        promise?.fail(ChannelError.ioOnClosedChannel)
        return context.close(promise: nil)
      }
    }
    send(context, promise: promise)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if isOpen, !hasEnded, mode != .input {
      hasEnded = true
      ERR_clear_error()
      if unsafe SSL_shutdown(tls) >= 0 { send(context, promise: nil) }
    }
    context.close(mode: mode, promise: promise)
  }

  /// Continues the handshake.
  /// - Returns: whether it is done.
  private func shakeHands(_ context: ChannelHandlerContext) -> Bool {
    ERR_clear_error()
    let status = unsafe SSL_do_handshake(tls)
    let fault = unsafe SSL_get_error(tls, status)
    // On a failure, this is an alert, which says why.
    send(context, promise: nil)
    guard status == 1 else {
      if fault != SSL_ERROR_WANT_READ { context.close(promise: nil) }
      return false
    }
    isOpen = true
    alarm?.cancel()
    context.fireChannelActive()
    return true
  }

  /// Passes on all that has arrived.
  /// - Returns: false if no more will follow.
  private func deliver(_ context: ChannelHandlerContext) -> Bool {
    while true {
      var plain = context.channel.allocator.buffer(capacity: Self.pieceBytes)
      ERR_clear_error()
      var status: Int32 = 0
      unsafe plain.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceBytes) {
        status = unsafe SSL_read(tls, $0.baseAddress, Int32(clamping: $0.count))
        return Int(max(0, status))
      }
      guard status > 0 else { return unsafe SSL_get_error(tls, status) == SSL_ERROR_WANT_READ }
      hasRead = true
      context.fireChannelRead(wrapInboundOut(plain))
    }
  }

  /// Sends the records that OpenSSL has made.
  private func send(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
    let count = unsafe BIO_ctrl_pending(outgoing)
    guard count > 0 || promise != nil else { return }
    var records = context.channel.allocator.buffer(capacity: count)
    if count > 0 {
      _ = unsafe records.writeWithUnsafeMutableBytes(minimumWritableBytes: count) {
        max(0, Int(unsafe BIO_read(outgoing, $0.baseAddress, Int32(clamping: count))))
      }
    }
    context.writeAndFlush(wrapOutboundOut(records), promise: promise)
  }
}
