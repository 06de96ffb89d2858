/// The `enc` in a JWE's header (RFC 7518 section 5). To add one, add a case and its cipher.
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

  /// The length of the HMAC key, which precedes the cipher's key. A cipher with a tag has no HMAC.
  private var codeKeyCount: Int { cipher.hasTag ? 0 : 16 }

  package var keyCount: Int { codeKeyCount + cipher.keyCount }
  var ivCount: Int { cipher.ivCounts[0] }

  /// - Parameter additionalData: the header exactly as received. It is authenticated too.
  func open(
    _ ciphertext: [UInt8], tag: [UInt8], key: Secret, iv: [UInt8], additionalData: [UInt8]
  ) throws(DecryptingError) -> [UInt8] {
    guard key.count == keyCount, iv.count == ivCount, tag.count == Cipher.tagCount else { throw .failed }
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
      return (sealed.dropLast(Cipher.tagCount), sealed.suffix(Cipher.tagCount))
    }
    let cipherKey = try key.part(codeKeyCount..<keyCount)
    let ciphertext = try CipherContext.encrypt(plaintext, cipher, key: cipherKey, iv: iv)
    return (ciphertext, try code(of: ciphertext, key: key, iv: iv, additionalData: additionalData))
  }

  /// The tag for a cipher that produces none (RFC 7518 section 5.2.2.1): the first half of an HMAC.
  private func code(
    of ciphertext: [UInt8], key: Secret, iv: [UInt8], additionalData: [UInt8]
  ) throws(DecryptingError) -> [UInt8] {
    var code = try MessageCode(key: key.part(0..<codeKeyCount))
    let bits = UInt64(additionalData.count) * 8
    for part in [additionalData, iv, ciphertext, bits.bytes] { try code.update(part.span) }
    return Array(try code.finish().prefix(Cipher.tagCount))
  }
}
