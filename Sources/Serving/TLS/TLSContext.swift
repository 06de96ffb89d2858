internal import COpenSSL

/// What all TLS connections of a server share: its certificate and key, TLS 1.2 or later, HTTP/1.1.
@safe final class TLSContext: Sendable {
  /// `nonisolated(unsafe)`, because only `init` changes it, and OpenSSL counts its users under a lock
  /// (`SSL_CTX_up_ref(3)`).
  nonisolated(unsafe) let pointer: OpaquePointer

  /// - Parameter key: the text of a PEM file.
  init(certificateFile: String, key: [UInt8], from keyFile: String) throws(ServingError) {
    guard let pointer = unsafe SSL_CTX_new(TLS_server_method()) else { throw Self.noMemory }
    unsafe self.pointer = pointer
    // Most SSL_CTX_… functions are macros of this one.
    _ = unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    _ = unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    // Clients keep their sessions themselves, in tickets. A cache here could be filled by strangers.
    _ = unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
    guard unsafe openssl_save_work(pointer) == 1, unsafe SSL_CTX_set_num_tickets(pointer, 1) == 1 else {
      throw Self.noMemory
    }
    // Failures stay in the queue of this thread, where TLS would read them.
    defer { ERR_clear_error() }
    guard unsafe SSL_CTX_use_certificate_chain_file(pointer, certificateFile) == 1 else {
      throw .certificateUnusable(
        "the file \(certificateFile) has no certificate that can be read: give it in PEM form, followed by its chain"
      )
    }
    guard let key = unsafe Self.key(key) else {
      throw .certificateUnusable(
        "the file \(keyFile) has no key that can be read: give it in PEM form and without a password, as openssl pkey -in FILE -out NEW writes it"
      )
    }
    defer { unsafe EVP_PKEY_free(key) }
    guard unsafe SSL_CTX_use_PrivateKey(pointer, key) == 1 else {
      throw .certificateUnusable("the key in \(keyFile) is not that of the certificate in \(certificateFile)")
    }
    unsafe SSL_CTX_set_alpn_select_cb(
      pointer,
      { _, answer, length, offers, count, _ in
        // RFC 7301: the protocol's name, after its length. A client that offers only others is refused.
        let http: StaticString = "\u{8}http/1.1"
        var choice: UnsafeMutablePointer<UInt8>?
        guard
          unsafe SSL_select_next_proto(&choice, length, http.utf8Start, 9, offers, count)
            == OPENSSL_NPN_NEGOTIATED
        else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        unsafe answer?.pointee = UnsafePointer(choice)
        return SSL_TLSEXT_ERR_OK
      }, nil)
  }

  deinit { unsafe SSL_CTX_free(pointer) }

  private static let noMemory = ServingError.certificateUnusable("there is no memory for TLS")

  private static func key(_ pem: [UInt8]) -> OpaquePointer? {
    unsafe pem.withUnsafeBytes { bytes in
      let text = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
      defer { unsafe BIO_free_all(text) }
      // Without this function, OpenSSL would ask for a password on the terminal.
      return unsafe PEM_read_bio_PrivateKey(text, nil, { _, _, _, _ in -1 }, nil)
    }
  }
}
