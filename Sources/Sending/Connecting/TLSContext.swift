internal import COpenSSL
internal import Glibc
internal import Queueing
internal import Supporting

/// The settings that all connections of a pool share: trusted authorities, TLS 1.2 or later, and HTTP/2.
@safe final class TLSContext {
  let pointer: OpaquePointer

  /// - Parameters:
  ///   - authorities: a PEM file of certificates to trust in addition to the system's.
  ///   - credentials: if this is a certificate, its file is read again.
  init(trusting authorities: String?, _ credentials: Credentials) throws(QueueError) {
    guard let pointer = unsafe SSL_CTX_new(TLS_client_method()) else {
      throw .unavailable("there is no memory for TLS")
    }
    unsafe self.pointer = pointer
    // Most SSL_CTX_… functions are macros of this one.
    _ = unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    let mode = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
    _ = unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(mode), nil)
    let http2: StaticString = "\u{2}h2"
    guard unsafe SSL_CTX_set_alpn_protos(pointer, http2.utf8Start, 3) == 0,
      unsafe openssl_save_memory(pointer, 16_384, 32_768) == 1, unsafe openssl_save_work(pointer) == 1
    else { throw .unavailable("there is no memory for TLS") }
    unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    _ =
      unsafe Self.hasHashedAuthorities
      ? SSL_CTX_set_default_verify_dir(pointer) : SSL_CTX_set_default_verify_paths(pointer)
    if let authorities, unsafe SSL_CTX_load_verify_file(pointer, authorities) != 1 {
      throw .refused("the file \(authorities) has no certificate that can be read: give one in PEM form")
    }
    if case .certificate(let certificate) = credentials { try unsafe certificate.use(in: pointer) }
  }

  deinit { unsafe SSL_CTX_free(pointer) }

  /// Whether the system has its authorities in separate files that are read when needed. OpenSSL would also
  /// read the bundle, which takes 30 ms and 1 MB. If the environment names a bundle
  /// (X509_get_default_cert_file_env(3)), returns false, so that it is read.
  private static var hasHashedAuthorities: Bool {
    guard unsafe getenv(X509_get_default_cert_file_env()) == nil else { return false }
    let given = unsafe getenv(X509_get_default_cert_dir_env()).map { unsafe UnsafePointer($0) }
    guard let path = unsafe given ?? X509_get_default_cert_dir() else { return false }
    return DirectoryNames.haveCertificates(in: unsafe String(cString: path))
  }
}
