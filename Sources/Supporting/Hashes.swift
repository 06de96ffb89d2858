internal import COpenSSL

/// SHA-256 (FIPS 180-4) of a stream of bytes.
@safe package struct SHA256: ~Copyable {
  /// The size of a digest, in bytes.
  package static let length = 32

  /// Looked up once, because that takes longer than the digest of a short text. Nil if the configuration
  /// leaves its provider out. `nonisolated(unsafe)`, because OpenSSL lets all threads use it
  /// (openssl-threads(7)).
  private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

  private let context: OpaquePointer
  private var hasFailed = false

  /// Returns nil if OpenSSL has no SHA-256 or no memory for it.
  package init?() {
    let created = unsafe EVP_MD_CTX_new()
    guard let context = unsafe created, unsafe EVP_DigestInit_ex2(context, Self.algorithm, nil) == 1 else {
      unsafe EVP_MD_CTX_free(created)
      ERR_clear_error()
      return nil
    }
    unsafe self.context = context
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  package mutating func update(_ bytes: Span<UInt8>) {
    let status = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    if status != 1 { hasFailed = true }
  }

  /// Call it once, after the last `update`. Returns nil if OpenSSL has failed, now or before.
  package mutating func finish() -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: Self.length)
    guard unsafe EVP_DigestFinal_ex(context, &digest, nil) == 1, !hasFailed else {
      ERR_clear_error()
      return nil
    }
    return digest
  }

  /// The digest of `bytes`; nil if OpenSSL has failed.
  package static func digest(of bytes: Span<UInt8>) -> [UInt8]? {
    guard var digest = SHA256() else { return nil }
    digest.update(bytes)
    return digest.finish()
  }

  /// The HMAC-SHA256 (RFC 2104) of the UTF-8 bytes of `message`; nil if OpenSSL has failed.
  package static func hmac(of message: String, key: [UInt8]) -> [UInt8]? {
    // The block size of SHA-256. A longer key is replaced by its digest.
    let block = 64
    var padded = key
    if key.count > block {
      guard let short = digest(of: key.span) else { return nil }
      padded = short
    }
    padded += [UInt8](repeating: 0, count: block - padded.count)
    let first = padded.map { $0 ^ 0x36 } + Array(message.utf8)
    guard let inner = digest(of: first.span) else { return nil }
    let second = padded.map { $0 ^ 0x5C } + inner
    return digest(of: second.span)
  }
}

/// FNV-1a with 64 bits (draft-eastlake-fnv section 2). Detects accidents, not forgery.
package enum FNV1a {
  package static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
    return hash
  }
}
