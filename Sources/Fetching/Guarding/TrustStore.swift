internal import CCurl
internal import COpenSSL

/// The certificates that connections trust, loaded once for all of them. libcurl would make a store for each.
///
/// The certificates of a directory are read as a connection needs them, and kept.
@safe final class TrustStore {
  /// Bytes of one record that is sent: a request is shorter, and OpenSSL makes its buffer for that many.
  private static let sendBytes = 2_048
  /// Bytes of certificates that a server may send, and of authorities that it names. Honest ones come to 3 to
  /// 6 KB, hardly ever to 10; OpenSSL takes twelve times that and more while it looks at them.
  private static let certificateBytes = 32_768

  private let store: OpaquePointer

  /// - Throws: `FetchError.tlsFailed` if a file of `authorities` cannot be read any more; `.resourcesExhausted`.
  init(_ authorities: CertificateAuthorities) throws(FetchError) {
    guard let store = unsafe X509_STORE_new() else {
      throw .resourcesExhausted(detail: "no memory for certificates")
    }
    unsafe self.store = store
    // As libcurl has it: an authority that is trusted need not be one that signed itself.
    _ = unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN))
    if let directory = authorities.directory, unsafe X509_STORE_load_path(store, directory) != 1 {
      throw .tlsFailed(detail: "\(directory) cannot be used for certificates")
    }
    if let file = authorities.file, unsafe X509_STORE_load_file(store, file) != 1 {
      throw .tlsFailed(detail: "\(file) holds no certificate that can be read")
    }
  }

  deinit { unsafe X509_STORE_free(store) }

  /// Has a connection trust these, and take no more memory and work than it needs. `context` is its `SSL_CTX`.
  func use(in context: UnsafeMutableRawPointer?) -> CURLcode {
    guard let context = OpaquePointer(context) else { return CURLE_ABORTED_BY_CALLBACK }
    unsafe SSL_CTX_set1_cert_store(context, store)
    return unsafe openssl_save_memory(context, Self.sendBytes, Self.certificateBytes) == 1
      && openssl_save_work(context) == 1 ? CURLE_OK : CURLE_OUT_OF_MEMORY
  }
}
