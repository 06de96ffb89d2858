internal import COpenSSL

/// A SHA-256 (FIPS 180-4) that is fed while bytes stream past.
@safe struct Digest: ~Copyable {
  /// Octets of the result.
  static let count = 32

  private let context: OpaquePointer

  init() throws(DecryptingError) {
    let algorithm = try unsafe OpenSSL.check(Algorithms.sha256)
    let context = try unsafe OpenSSL.check(EVP_MD_CTX_new())
    do throws(DecryptingError) {
      try OpenSSL.check(unsafe EVP_DigestInit_ex2(context, algorithm, nil))
    } catch {
      unsafe EVP_MD_CTX_free(context)
      throw error
    }
    unsafe self.context = context
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  mutating func update(_ bytes: Span<UInt8>) throws(DecryptingError) {
    let status = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    try OpenSSL.check(status)
  }

  /// Called once, after the last `update`.
  mutating func finish() throws(DecryptingError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Self.count)
    let status = unsafe digest.withUnsafeMutableBufferPointer {
      unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
    }
    try OpenSSL.check(status)
    return digest
  }
}
