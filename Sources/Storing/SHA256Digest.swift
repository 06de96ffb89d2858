internal import COpenSSL

/// A SHA-256 (FIPS 180-4) that is fed while bytes stream past.
@safe struct SHA256Digest: ~Copyable {
  private let context: OpaquePointer

  /// - Throws: `StoreError.digestUnavailable` when OpenSSL has no SHA-256 or no memory for it.
  init() throws(StoreError) {
    guard let context = unsafe EVP_MD_CTX_new() else { throw .digestUnavailable }
    guard unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      unsafe EVP_MD_CTX_free(context)
      throw .digestUnavailable
    }
    unsafe self.context = context
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  mutating func update(_ bytes: Span<UInt8>) throws(StoreError) {
    let status = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    guard status == 1 else { throw .digestUnavailable }
  }

  /// The digest as 64 lower-case hexadecimal digits. Called once, after the last `update`.
  mutating func finish() throws(StoreError) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    let status = unsafe digest.withUnsafeMutableBufferPointer {
      unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
    }
    guard status == 1 else { throw .digestUnavailable }
    let digits = Array("0123456789abcdef".utf8)
    return unsafe String(unsafeUninitializedCapacity: 64) { text in
      for (index, byte) in digest.enumerated() {
        unsafe text[index * 2] = digits[Int(byte >> 4)]
        unsafe text[index * 2 + 1] = digits[Int(byte & 15)]
      }
      return 64
    }
  }
}
