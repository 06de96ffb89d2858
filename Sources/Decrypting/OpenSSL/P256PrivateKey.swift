internal import COpenSSL

/// A private key on P-256 and its public point.
package struct P256PrivateKey: Sendable {
  /// Octets of an uncompressed point (SEC 1 section 2.3.3): the octet 4 and both coordinates.
  package static let pointCount = 65
  /// Octets of a scalar, and of what two keys agree on.
  package static let scalarCount = 32

  /// 65 octets.
  package let point: [UInt8]
  package let scalar: Secret

  /// - Parameter scalar: 32 octets, most significant first.
  /// - Throws: `DecryptingError.failed` for another length, and unless it is from 1 to the order of the curve
  ///   less one.
  package init(scalar: Secret) throws(DecryptingError) {
    guard scalar.count == Self.scalarCount else { throw .failed }
    var point = [UInt8](repeating: 0, count: Self.pointCount)
    let status = scalar.withSpan { scalar in
      unsafe scalar.withUnsafeBytes { scalar in
        unsafe point.withUnsafeMutableBytes { unsafe openssl_p256_point(scalar.baseAddress, $0.baseAddress) }
      }
    }
    try OpenSSL.check(status)
    self.scalar = scalar
    self.point = point
  }

  /// A new one.
  /// - Throws: `DecryptingError.failed`, were it only once in 2^32 because the number is beyond the order of
  ///   the curve.
  package static func random() throws(DecryptingError) -> P256PrivateKey {
    try P256PrivateKey(scalar: .random(count: scalarCount))
  }

  /// What ECDH (SP 800-56A section 5.7.1.2) makes of this key and somebody's public one: the 32 octets of the
  /// abscissa.
  /// - Parameter point: untrusted.
  /// - Throws: `DecryptingError.failed` unless it is 65 octets and a point of the curve.
  func agreement(with point: Span<UInt8>) throws(DecryptingError) -> Secret {
    guard point.count == Self.pointCount, point[0] == 4 else { throw .failed }
    let peer = try EVPKey(scalar: nil, point: point)
    try peer.checkPublicPoint()
    let own = try EVPKey(scalar: scalar, point: self.point.span)
    return try own.agreement(with: peer)
  }
}

/// A key within OpenSSL (`EVP_PKEY`), for as long as one agreement takes. Wiped when it is freed.
@safe private struct EVPKey: ~Copyable {
  private let key: OpaquePointer

  init(scalar: Secret?, point: Span<UInt8>) throws(DecryptingError) {
    let key = unsafe point.withUnsafeBytes { point in
      guard let scalar else { return unsafe openssl_p256_key(nil, point.baseAddress) }
      return unsafe scalar.withSpan { scalar in
        unsafe scalar.withUnsafeBytes { unsafe openssl_p256_key($0.baseAddress, point.baseAddress) }
      }
    }
    unsafe self.key = try OpenSSL.check(key)
  }

  deinit { unsafe EVP_PKEY_free(key) }

  func checkPublicPoint() throws(DecryptingError) {
    let context = try unsafe OpenSSL.check(EVP_PKEY_CTX_new_from_pkey(nil, key, nil))
    defer { unsafe EVP_PKEY_CTX_free(context) }
    try OpenSSL.check(unsafe EVP_PKEY_public_check(context))
  }

  func agreement(with peer: borrowing EVPKey) throws(DecryptingError) -> Secret {
    let context = try unsafe OpenSSL.check(EVP_PKEY_CTX_new_from_pkey(nil, key, nil))
    defer { unsafe EVP_PKEY_CTX_free(context) }
    try OpenSSL.check(unsafe EVP_PKEY_derive_init(context))
    try OpenSSL.check(unsafe EVP_PKEY_derive_set_peer(context, peer.key))
    return try unsafe Secret(count: P256PrivateKey.scalarCount) { (output) throws(DecryptingError) in
      var count = output.count
      let bytes = unsafe output.assumingMemoryBound(to: UInt8.self)
      try OpenSSL.check(unsafe EVP_PKEY_derive(context, bytes.baseAddress, &count))
      guard count == P256PrivateKey.scalarCount else { throw .failed }
    }
  }
}
