internal import COpenSSL

/// A certificate with its key, and the protocol that a server speaks over TLS (RFC 7301).
@safe package final class TLSServerContext: Sendable {
  package enum ApplicationProtocol: Sendable { case http1, http2 }

  /// `nonisolated(unsafe)`, because only `init` changes it, and OpenSSL counts its users under a lock
  /// (`SSL_CTX_up_ref(3)`).
  nonisolated(unsafe) let pointer: OpaquePointer
  let burden: TLSBurden

  package init(
    _ certificate: borrowing ServerCertificate, speaking protocol: ApplicationProtocol,
    sending burden: TLSBurden = .none
  ) throws(MisbehavingError) {
    guard let pointer = unsafe SSL_CTX_new(TLS_server_method()) else { throw .noTLS }
    unsafe self.pointer = pointer
    self.burden = burden
    let isTaken =
      switch burden {
      case .none, .newKeys: true
      case .certificate(let units): unsafe openssl_add_certificate(pointer, Int32(clamping: units)) == 1
      case .authorities(let count): unsafe openssl_ask_for_certificate(pointer, Int32(clamping: count)) == 1
      case .ticket(let bytes): unsafe openssl_use_long_tickets(pointer, Int32(clamping: bytes)) == 1
      case .finiteField: unsafe openssl_use_finite_field(pointer) == 1
      }
    guard isTaken, unsafe SSL_CTX_use_certificate(pointer, certificate.certificate) == 1,
      unsafe SSL_CTX_use_PrivateKey(pointer, certificate.key) == 1
    else { throw .noTLS }
    guard `protocol` == .http2 else { return }
    unsafe SSL_CTX_set_alpn_select_cb(
      pointer,
      { _, answer, length, offers, count, _ in
        // The protocol's name, after its length.
        let http2: StaticString = "\u{2}h2"
        var choice: UnsafeMutablePointer<UInt8>?
        guard
          unsafe SSL_select_next_proto(&choice, length, http2.utf8Start, 3, offers, count)
            == OPENSSL_NPN_NEGOTIATED
        else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        unsafe answer?.pointee = UnsafePointer(choice)
        return SSL_TLSEXT_ERR_OK
      }, nil)
  }

  deinit { unsafe SSL_CTX_free(pointer) }
}
