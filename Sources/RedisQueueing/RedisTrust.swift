internal import CCurl
internal import COpenSSL
internal import Glibc

/// The certificate authorities that a connection trusts: the system's, and those of one file.
struct RedisTrust {
  /// The file of `--ca-file`.
  let file: String?
  /// The system's bundle; nil if it cannot be read. libcurl also looks into the system's directory.
  let bundle: String?

  init(adding file: String?) {
    self.init(adding: file, to: unsafe curl_default_certificates().map { unsafe String(cString: $0) })
  }

  init(adding file: String?, to bundle: String?) {
    self.file = file
    // libcurl would refuse to connect without it.
    self.bundle = bundle.flatMap { unsafe access($0, R_OK) == 0 ? $0 : nil }
  }

  /// Makes the connection. The file is added to OpenSSL's store, because libcurl's own option would replace
  /// the bundle.
  /// - Returns: `CURLE_ABORTED_BY_CALLBACK` if the file has no certificate that can be read.
  func perform(_ easy: UnsafeMutableRawPointer) -> CURLcode {
    unsafe curl_set_string(easy, CURLOPT_CAINFO, bundle)
    guard let file else { return unsafe curl_easy_perform(easy) }
    return unsafe file.withCString { path in
      let path = unsafe UnsafeMutableRawPointer(mutating: path)
      unsafe curl_set_tls_callback(
        easy,
        { _, context, path in
          guard let context = unsafe context, let path = unsafe path else { return CURLE_ABORTED_BY_CALLBACK }
          let file = unsafe path.assumingMemoryBound(to: CChar.self)
          return unsafe SSL_CTX_load_verify_locations(OpaquePointer(context), file, nil) == 1
            ? CURLE_OK : CURLE_ABORTED_BY_CALLBACK
        }, path)
      // The path is valid only here, and libcurl does not connect again.
      defer { unsafe curl_set_tls_callback(easy, nil, nil) }
      return unsafe curl_easy_perform(easy)
    }
  }
}
