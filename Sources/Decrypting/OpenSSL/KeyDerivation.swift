internal import COpenSSL

/// Keys made from other keys, with SHA-256 and straight into wiped memory.
@safe struct KeyDerivation: ~Copyable {
  private let context: OpaquePointer

  private init(_ algorithm: OpaquePointer?) throws(DecryptingError) {
    let algorithm = try unsafe OpenSSL.check(algorithm)
    unsafe context = try OpenSSL.check(EVP_KDF_CTX_new(algorithm))
  }

  deinit { unsafe EVP_KDF_CTX_free(context) }

  /// HKDF (RFC 5869), extract and expand.
  /// - Parameters:
  ///   - info: all of it, with the zero octet at its end where a format has one.
  ///   - count: octets of the result, 8,160 at most.
  static func hkdf(
    _ secret: Secret, salt: Span<UInt8>, info: [UInt8], count: Int
  ) throws(DecryptingError) -> Secret {
    let derivation = try unsafe KeyDerivation(Algorithms.hkdf)
    return try unsafe Secret(count: count) { (output) throws(DecryptingError) in
      let status = secret.withSpan { secret in
        unsafe secret.withUnsafeBytes { secret in
          unsafe salt.withUnsafeBytes { salt in
            unsafe info.withUnsafeBytes { info in
              unsafe openssl_hkdf_sha256(
                derivation.context, secret.baseAddress, secret.count, salt.baseAddress, salt.count,
                info.baseAddress, info.count, output.baseAddress, output.count)
            }
          }
        }
      }
      try OpenSSL.check(status)
    }
  }

  /// The Concat KDF (NIST SP 800-56A section 5.8.1), as JWE uses it (RFC 7518 section 4.6.2).
  static func concatKDF(_ secret: Secret, info: [UInt8], count: Int) throws(DecryptingError) -> Secret {
    let derivation = try unsafe KeyDerivation(Algorithms.concatKDF)
    return try unsafe Secret(count: count) { (output) throws(DecryptingError) in
      let status = secret.withSpan { secret in
        unsafe secret.withUnsafeBytes { secret in
          unsafe info.withUnsafeBytes { info in
            unsafe openssl_sskdf_sha256(
              derivation.context, secret.baseAddress, secret.count, info.baseAddress, info.count,
              output.baseAddress, output.count)
          }
        }
      }
      try OpenSSL.check(status)
    }
  }
}
