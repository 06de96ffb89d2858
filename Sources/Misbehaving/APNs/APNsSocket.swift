internal import COpenSSL
internal import Glibc

/// An accepted connection, with or without TLS, that never blocks.
@safe final class APNsSocket {
  enum Outcome: Equatable { case bytes(Int), later, ended }

  let descriptor: Int32
  private let tls: OpaquePointer?

  /// - Returns: nil if memory is short. Then the caller closes the descriptor.
  init?(_ descriptor: Int32, tls context: TLSServerContext?) {
    self.descriptor = descriptor
    guard let context else {
      unsafe tls = nil
      return
    }
    guard let made = unsafe SSL_new(context.pointer), unsafe SSL_set_fd(made, descriptor) == 1 else {
      return nil
    }
    unsafe tls = made
    unsafe SSL_set_accept_state(made)
    // Asks for a client certificate, but does not require one. Any certificate will do: the handshake proves that
    // the client has its key.
    unsafe SSL_set_verify(made, SSL_VERIFY_PEER, { _, _ in 1 })
    // SSL_set_mode is a macro of this.
    let mode = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
    _ = unsafe SSL_ctrl(made, SSL_CTRL_MODE, Int(mode), nil)
  }

  deinit {
    if let tls = unsafe tls { unsafe SSL_free(tls) }
    close(descriptor)
  }

  func read(into buffer: inout [UInt8]) -> Outcome {
    guard let tls = unsafe tls else {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      return count > 0 ? .bytes(count) : count < 0 && errno == EAGAIN ? .later : .ended
    }
    ERR_clear_error()
    let count = unsafe SSL_read(tls, &buffer, Int32(buffer.count))
    return unsafe outcome(count, tls)
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    guard let tls = unsafe tls else {
      let count = unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      return count > 0 ? .bytes(count) : count < 0 && errno == EAGAIN ? .later : .ended
    }
    ERR_clear_error()
    let count = unsafe SSL_write(tls, bytes.baseAddress, Int32(clamping: bytes.count))
    return unsafe outcome(count, tls)
  }

  /// Whether the client has shown a certificate, from any authority.
  var hasCertificate: Bool {
    guard let tls = unsafe tls else { return false }
    return unsafe SSL_get0_peer_certificate(tls) != nil
  }

  /// Sends close_notify.
  func bid() {
    if let tls = unsafe tls { _ = unsafe SSL_shutdown(tls) }
  }

  /// Makes the end of this object a TCP reset: socket(7), SO_LINGER.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }

  private func outcome(_ count: Int32, _ tls: OpaquePointer) -> Outcome {
    if count > 0 { return .bytes(Int(count)) }
    let error = unsafe SSL_get_error(tls, count)
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? .later : .ended
  }
}
