internal import COpenSSL
internal import Glibc
internal import Supporting

/// TLS over a connected non-blocking socket. Closes the socket.
@safe final class TLSChannel {
  enum Progress: Equatable {
    case done(_ count: Int)
    case waitsToRead, waitsToWrite
    case ended
    case failed(String)
  }

  let descriptor: Int32
  let tls: OpaquePointer

  /// - Parameter host: a name or an address without brackets. The server's certificate must contain it.
  /// - Returns: nil if memory is short. The socket is then closed.
  init?(_ context: TLSContext, _ descriptor: Int32, host: String) {
    guard let tls = unsafe SSL_new(context.pointer) else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    unsafe self.tls = tls
    unsafe SSL_set_fd(tls, descriptor)
    unsafe SSL_set_connect_state(tls)
    if IPAddress(host) != nil {
      guard unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host) == 1 else { return nil }
    } else {
      unsafe SSL_set_hostflags(tls, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
      let isSet = unsafe host.withCString { name in
        // SSL_set_tlsext_host_name is a macro.
        unsafe SSL_ctrl(
          tls, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
          UnsafeMutableRawPointer(mutating: name))
      }
      // Without a name to check, any certificate would be accepted.
      guard isSet == 1, unsafe SSL_set1_host(tls, host) == 1 else { return nil }
    }
  }

  deinit {
    unsafe SSL_free(tls)
    close(descriptor)
  }

  /// Continues the handshake. The server must speak HTTP/2 (RFC 7301).
  func connect() -> Progress {
    ERR_clear_error()
    let status = unsafe SSL_do_handshake(tls)
    guard status == 1 else { return progress(status) }
    var (name, count) = unsafe (UnsafePointer<UInt8>?.none, UInt32(0))
    unsafe SSL_get0_alpn_selected(tls, &name, &count)
    guard unsafe UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8) else {
      return .failed("it does not speak HTTP/2: check that this is the address of APNs, and of no proxy")
    }
    return .done(0)
  }

  /// From now on, reads whatever has arrived at once, instead of each record in two system calls. Bytes may then
  /// wait here although the socket has none: see `hasUnread`.
  func readAhead() { unsafe SSL_set_read_ahead(tls, 1) }

  /// Whether bytes from the socket have not been returned yet. They may be a part of a record.
  var hasUnread: Bool { unsafe SSL_has_pending(tls) == 1 }

  func read(into buffer: inout [UInt8]) -> Progress {
    ERR_clear_error()
    let count = unsafe SSL_read(tls, &buffer, Int32(clamping: buffer.count))
    return count > 0 ? .done(Int(count)) : progress(count)
  }

  func write(_ bytes: ArraySlice<UInt8>) -> Progress {
    ERR_clear_error()
    let count = unsafe bytes.withUnsafeBytes {
      unsafe SSL_write(tls, $0.baseAddress, Int32(clamping: $0.count))
    }
    return count > 0 ? .done(Int(count)) : progress(count)
  }

  /// Tells the server that nothing more follows, if that can be sent without waiting.
  func finish() {
    ERR_clear_error()
    _ = unsafe SSL_shutdown(tls)
  }

  private func progress(_ status: Int32) -> Progress {
    let code = errno
    switch unsafe SSL_get_error(tls, status) {
    case SSL_ERROR_WANT_READ: return .waitsToRead
    case SSL_ERROR_WANT_WRITE: return .waitsToWrite
    case SSL_ERROR_ZERO_RETURN: return .ended
    case SSL_ERROR_SYSCALL: return code == 0 ? .ended : .failed(String(errno: code))
    default: return failure
    }
  }

  private var failure: Progress {
    let error = ERR_peek_error()
    let verdict = unsafe SSL_get_verify_result(tls)
    if verdict != X509_V_OK {
      let reason = unsafe String(cString: X509_verify_cert_error_string(verdict))
      return .failed(
        "its certificate is not accepted (\(reason)): check the host's name, and for a server of your own, name its certificate authority with --ca-file"
      )
    }
    // SSL_R_UNEXPECTED_EOF_WHILE_READING
    if error & 0x7f_ffff == 294 { return .ended }
    guard error != 0, let reason = unsafe ERR_reason_error_string(error) else {
      return .failed("TLS failed")
    }
    return .failed("TLS failed (\(unsafe String(cString: reason)))")
  }
}
