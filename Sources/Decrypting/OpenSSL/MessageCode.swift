internal import COpenSSL

/// An HMAC-SHA256 (RFC 2104) that is fed while bytes stream past.
@safe struct MessageCode: ~Copyable {
  /// Octets of the result.
  static let count = 32

  private let context: OpaquePointer

  init(key: Secret) throws(DecryptingError) {
    let algorithm = try unsafe OpenSSL.check(Algorithms.hmac)
    let context = try unsafe OpenSSL.check(EVP_MAC_CTX_new(algorithm))
    do throws(DecryptingError) {
      let status = key.withSpan { key in
        unsafe key.withUnsafeBytes { unsafe openssl_hmac_sha256_init(context, $0.baseAddress, $0.count) }
      }
      try OpenSSL.check(status)
    } catch {
      unsafe EVP_MAC_CTX_free(context)
      throw error
    }
    unsafe self.context = context
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }

  mutating func update(_ bytes: Span<UInt8>) throws(DecryptingError) {
    let status = unsafe bytes.withUnsafeBufferPointer {
      unsafe EVP_MAC_update(context, $0.baseAddress, $0.count)
    }
    try OpenSSL.check(status)
  }

  /// Called once, after the last `update`.
  mutating func finish() throws(DecryptingError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Self.count)
    let status = unsafe code.withUnsafeMutableBufferPointer {
      unsafe EVP_MAC_final(context, $0.baseAddress, nil, $0.count)
    }
    try OpenSSL.check(status)
    return code
  }
}
