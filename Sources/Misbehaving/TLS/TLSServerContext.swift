internal import COpenSSL

/// What a server sends in its handshake, or has done, for nothing: to fill the client's memory, or to keep it busy.
package enum TLSBurden: Sendable {
  case none
  /// A useless certificate behind its own, with this many units of 12 bytes in its name.
  case certificate(units: Int)
  /// Empty names of so many authorities, of 4 bytes each, from which it would like a certificate.
  case authorities(Int)
  /// So many new keys behind each piece of an answer (RFC 8446 section 4.6.3).
  case newKeys(Int)
  /// A ticket of this many bytes, at most 65,000, behind each piece of an answer (RFC 8446 section 4.6.1).
  case ticket(bytes: Int)
  /// Keys by Diffie-Hellman in a finite field.
  case finiteField
}

/// A certificate with its key, and the protocol that a server speaks over TLS (RFC 7301).
@safe package final class TLSServerContext: Sendable {
  package enum ApplicationProtocol: Sendable { case http1, http2 }

  /// Does not change once it is set up. OpenSSL counts its users under a lock of its own (`SSL_CTX_up_ref(3)`).
  nonisolated(unsafe) let pointer: OpaquePointer
  let burden: TLSBurden

  /// - Throws: `MisbehavingError.noTLS`.
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
        // Behind its length.
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
