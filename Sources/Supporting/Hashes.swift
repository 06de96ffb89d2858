internal import COpenSSL

/// A SHA-256 (FIPS 180-4) that is fed while bytes stream past.
@safe package struct SHA256: ~Copyable {
  /// Bytes of a digest.
  package static let length = 32

  /// Looked up once: a look-up takes longer than the digest of a short text. OpenSSL never changes it, and
  /// lets all threads use it at once (openssl-threads(7)). Nil where a provider was configured away.
  private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

  private let context: OpaquePointer
  private var hasFailed = false

  /// - Returns: nil when OpenSSL has no SHA-256 or no memory for it.
  package init?() {
    guard let algorithm = unsafe Self.algorithm, let context = unsafe EVP_MD_CTX_new() else {
      ERR_clear_error()
      return nil
    }
    guard unsafe EVP_DigestInit_ex2(context, algorithm, nil) == 1 else {
      unsafe EVP_MD_CTX_free(context)
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

  /// Called once, after the last `update`.
  /// - Returns: nil when OpenSSL has failed at this digest, now or before.
  package mutating func finish() -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: Self.length)
    let status = unsafe digest.withUnsafeMutableBufferPointer {
      unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
    }
    guard status == 1, !hasFailed else {
      ERR_clear_error()
      return nil
    }
    return digest
  }

  /// The digest of `bytes`; nil when OpenSSL has no SHA-256 or no memory for it.
  package static func digest(of bytes: Span<UInt8>) -> [UInt8]? {
    guard var digest = SHA256() else { return nil }
    digest.update(bytes)
    return digest.finish()
  }
}

/// FNV-1a with 64 bits (draft-eastlake-fnv section 2): tells apart what nobody has forged.
package enum FNV1a {
  package static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
    return hash
  }
}
