/// How the content of a JWE is encrypted (RFC 7518 section 5): the `enc` of its header, as it is written
/// there. A further one is a case and its cipher.
package enum JWEEncryption: String, CaseIterable, Sendable {
  case a128GCM = "A128GCM"
  case a256GCM = "A256GCM"
  case a128CBCHS256 = "A128CBC-HS256"

  private var cipher: Cipher {
    switch self {
    case .a128GCM: .aes128GCM
    case .a256GCM: .aes256GCM
    case .a128CBCHS256: .aes128CBC
    }
  }

  /// Octets of an HMAC's key, which stands in front of that of the cipher; none if the cipher has a tag.
  private var codeKeyCount: Int { cipher.hasTag ? 0 : 16 }

  /// Octets of the key.
  package var keyCount: Int { codeKeyCount + cipher.keyCount }

  /// Octets of the initialisation vector.
  var ivCount: Int { cipher.ivCounts[0] }

  /// Octets of the tag, in all of them.
  static let tagCount = 16

  /// - Parameter additionalData: what is authenticated besides: the header as it came.
  /// - Throws: `DecryptingError.failed` unless all of it is authentic.
  func open(
    _ ciphertext: [UInt8], tag: [UInt8], key: Secret, iv: [UInt8], additionalData: [UInt8]
  ) throws(DecryptingError) -> [UInt8] {
    guard key.count == keyCount, iv.count == ivCount, tag.count == Self.tagCount else { throw .failed }
    if cipher.hasTag {
      return try CipherContext.decrypt(
        ciphertext.span, cipher, key: key, iv: iv, additionalData: additionalData, tag: tag)
    }
    let actual = try code(of: ciphertext, key: key, iv: iv, additionalData: additionalData)
    guard OpenSSL.areEqual(actual.span, tag.span) else { throw .failed }
    return try CipherContext.decrypt(ciphertext.span, cipher, key: key.part(codeKeyCount..<keyCount), iv: iv)
  }

  func seal(
    _ plaintext: Span<UInt8>, key: Secret, iv: [UInt8], additionalData: [UInt8]
  ) throws(DecryptingError) -> (ciphertext: [UInt8], tag: [UInt8]) {
    guard key.count == keyCount, iv.count == ivCount else { throw .failed }
    if cipher.hasTag {
      let sealed = try CipherContext.encrypt(
        plaintext, cipher, key: key, iv: iv, additionalData: additionalData)
      return (sealed.dropLast(Self.tagCount), sealed.suffix(Self.tagCount))
    }
    let ciphertext = try CipherContext.encrypt(
      plaintext, cipher, key: key.part(codeKeyCount..<keyCount), iv: iv)
    return (ciphertext, try code(of: ciphertext, key: key, iv: iv, additionalData: additionalData))
  }

  /// The tag of a cipher without one (RFC 7518 section 5.2.2.1): half of an HMAC that ends with the bits of
  /// the additional data.
  private func code(
    of ciphertext: [UInt8], key: Secret, iv: [UInt8], additionalData: [UInt8]
  ) throws(DecryptingError) -> [UInt8] {
    let bits = UInt64(additionalData.count) * 8
    let length = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
    var code = try MessageCode(key: key.part(0..<codeKeyCount))
    for part in [additionalData, iv, ciphertext, length] { try code.update(part.span) }
    return Array(try code.finish().prefix(Self.tagCount))
  }
}
