internal import COpenSSL
internal import NIOCore

/// TLS on an accepted connection: OpenSSL works on two memory buffers (`BIO_s_mem(3)`) inside NIO.
@safe final class TLSHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private static let pieceBytes = 16_384

  /// The event after which the connection ends without close_notify.
  enum Abruptly { case ends }

  private let tls: OpaquePointer
  private var endsAbruptly = false
  private let burden: TLSBurden
  /// The buffers from the client to OpenSSL, and back.
  private let incoming, outgoing: OpaquePointer

  init(_ context: TLSServerContext) throws(MisbehavingError) {
    guard let tls = unsafe SSL_new(context.pointer), let incoming = unsafe BIO_new(BIO_s_mem()),
      let outgoing = unsafe BIO_new(BIO_s_mem())
    else { throw .noTLS }
    unsafe self.tls = tls
    burden = context.burden
    unsafe self.incoming = incoming
    unsafe self.outgoing = outgoing
    // `tls` owns the buffers from here on.
    unsafe SSL_set_bio(tls, incoming, outgoing)
    unsafe SSL_set_accept_state(tls)
  }

  deinit { unsafe SSL_free(tls) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    _ = unsafe bytes.withUnsafeReadableBytes { unsafe BIO_write(incoming, $0.baseAddress, Int32($0.count)) }
    var count = 1
    while count > 0 {
      var plain = context.channel.allocator.buffer(capacity: Self.pieceBytes)
      // This also continues the handshake.
      count = unsafe plain.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceBytes) {
        max(0, Int(unsafe SSL_read(tls, $0.baseAddress, Int32(Self.pieceBytes))))
      }
      if count > 0 { context.fireChannelRead(wrapInboundOut(plain)) }
    }
    send(context, promise: nil)
    context.flush()
    if unsafe SSL_get_shutdown(tls) & SSL_RECEIVED_SHUTDOWN != 0 { context.close(promise: nil) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let bytes = unwrapOutboundIn(data)
    if bytes.readableBytes > 0 {
      _ = unsafe bytes.withUnsafeReadableBytes { unsafe SSL_write(tls, $0.baseAddress, Int32($0.count)) }
      burdenPiece()
    }
    send(context, promise: promise)
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?)
  {
    guard event is Abruptly else { return context.triggerUserOutboundEvent(event, promise: promise) }
    endsAbruptly = true
    promise?.succeed()
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if !endsAbruptly, unsafe SSL_shutdown(tls) >= 0 {
      send(context, promise: nil)
      context.flush()
    }
    context.close(mode: mode, promise: promise)
  }

  private func burdenPiece() {
    switch burden {
    case .newKeys(let count):
      for _ in 0..<count {
        _ = unsafe SSL_key_update(tls, SSL_KEY_UPDATE_NOT_REQUESTED)
        _ = unsafe SSL_do_handshake(tls)
      }
    case .ticket:
      _ = unsafe SSL_new_session_ticket(tls)
      _ = unsafe SSL_do_handshake(tls)
    case .none, .certificate, .authorities, .finiteField: break
    }
  }

  private func send(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
    let pending = unsafe BIO_ctrl_pending(outgoing)
    var records = context.channel.allocator.buffer(capacity: pending)
    _ = unsafe records.writeWithUnsafeMutableBytes(minimumWritableBytes: pending) {
      pending == 0 ? 0 : max(0, Int(unsafe BIO_read(outgoing, $0.baseAddress, Int32(pending))))
    }
    context.write(wrapOutboundOut(records), promise: promise)
  }
}
