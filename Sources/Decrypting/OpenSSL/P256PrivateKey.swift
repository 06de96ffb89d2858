internal import COpenSSL

/// A private key on P-256 and its public point.
package struct P256PrivateKey: Sendable {
  /// The length of an uncompressed point (SEC 1 section 2.3.3): a byte 4 and both coordinates.
  package static let pointCount = 65
  /// The length of a scalar or of a coordinate.
  package static let scalarCount = 32

  package let point: [UInt8]
  package let scalar: Secret

  /// - Parameter scalar: 32 bytes, most significant first, from 1 to the curve's order minus 1.
  package init(scalar: Secret) throws(DecryptingError) {
    point = try unsafe Self.product(scalar, nil).withSpan { point in point.indices.map { point[$0] } }
    self.scalar = scalar
  }

  /// A new key. Fails once in 2^32 calls, when the random number is not below the curve's order.
  package static func random() throws(DecryptingError) -> P256PrivateKey {
    try P256PrivateKey(scalar: .random(count: scalarCount))
  }

  /// The result of ECDH (SP 800-56A section 5.7.1.2) with `point`: the x-coordinate, 32 bytes.
  /// - Parameter point: an untrusted public key. Throws unless it is 65 bytes and on the curve.
  func agreement(with point: Span<UInt8>) throws(DecryptingError) -> Secret {
    guard point.count == Self.pointCount, point[0] == 4 else { throw .failed }
    return try unsafe point.withUnsafeBytes { (point) throws(DecryptingError) in
      try unsafe Self.product(scalar, point.baseAddress).part(1..<1 + Self.scalarCount)
    }
  }

  /// - Parameter point: 65 bytes; nil for the generator of the curve.
  private static func product(
    _ scalar: Secret, _ point: UnsafeRawPointer?
  ) throws(DecryptingError) -> Secret {
    guard scalar.count == scalarCount else { throw .failed }
    return try unsafe Secret(count: pointCount) { (product) throws(DecryptingError) in
      let status = unsafe scalar.withUnsafeBytes {
        unsafe openssl_p256_multiply($0.baseAddress, point, product.baseAddress)
      }
      try OpenSSL.check(status)
    }
  }
}
