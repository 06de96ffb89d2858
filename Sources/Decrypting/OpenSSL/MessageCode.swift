internal import COpenSSL

/// An HMAC-SHA256 (RFC 2104) of a stream of bytes.
@safe struct MessageCode: ~Copyable {
  static let count = 32

  /// Looked up once, like `Cipher.algorithm`. `nonisolated(unsafe)`, because OpenSSL lets all threads use it.
  private nonisolated(unsafe) static let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
  private let object: OpenSSLObject

  init(key: Secret) throws(DecryptingError) {
    let object = try unsafe OpenSSLObject(EVP_MAC_CTX_new(OpenSSL.check(Self.algorithm)), EVP_MAC_CTX_free)
    let context = unsafe object.pointer
    let status = unsafe key.withUnsafeBytes {
      unsafe openssl_hmac_sha256_init(context, $0.baseAddress, $0.count)
    }
    try OpenSSL.check(status)
    self.object = object
  }

  mutating func update(_ bytes: Span<UInt8>) throws(DecryptingError) {
    let status = unsafe bytes.withUnsafeBufferPointer {
      unsafe EVP_MAC_update(object.pointer, $0.baseAddress, $0.count)
    }
    try OpenSSL.check(status)
  }

  /// Call it once, after the last `update`.
  mutating func finish() throws(DecryptingError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Self.count)
    try OpenSSL.check(unsafe EVP_MAC_final(object.pointer, &code, nil, code.count))
    return code
  }
}
