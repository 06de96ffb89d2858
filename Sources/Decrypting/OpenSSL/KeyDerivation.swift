internal import COpenSSL

/// Derives a key from another with SHA-256, straight into the memory of a `Secret`.
@safe struct KeyDerivation: Sendable {
  /// HKDF (RFC 5869), extract and expand. Yields at most 8,160 bytes.
  static let hkdf = KeyDerivation("HKDF")
  /// The Concat KDF (NIST SP 800-56A section 5.8.1) of JWE (RFC 7518 section 4.6.2). Ignores the salt.
  static let concatKDF = KeyDerivation("SSKDF")

  /// Looked up once, like `Cipher.algorithm`. `nonisolated(unsafe)`, because OpenSSL lets all threads use it.
  private nonisolated(unsafe) let algorithm: OpaquePointer?

  private init(_ name: String) { unsafe algorithm = EVP_KDF_fetch(nil, name, nil) }

  /// - Parameters:
  ///   - info: the context of the key, including the zero byte at its end if the format has one.
  ///   - count: the number of bytes to derive.
  func callAsFunction(
    _ secret: Secret, salt: Span<UInt8> = Span(), info: [UInt8], count: Int
  ) throws(DecryptingError) -> Secret {
    let object = try unsafe OpenSSLObject(EVP_KDF_CTX_new(OpenSSL.check(algorithm)), EVP_KDF_CTX_free)
    return try unsafe Secret(count: count) { (output) throws(DecryptingError) in
      let status = unsafe secret.withUnsafeBytes { secret in
        unsafe salt.withUnsafeBytes { salt in
          unsafe openssl_derive_sha256(
            object.pointer, secret.baseAddress, secret.count, salt.baseAddress, salt.count, info, info.count,
            output.baseAddress, output.count)
        }
      }
      try OpenSSL.check(status)
    }
  }
}
