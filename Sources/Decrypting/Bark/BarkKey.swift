internal import Supporting

/// A key of the app Bark (Finb/Bark @abbd3ba, Model/Algorithm.swift). The key and the initialization vector are
/// characters that the user types. Only GCM is decrypted, because anyone can change what CBC and ECB encrypt.
package struct BarkKey: Sendable {
  private static let ciphers = [Cipher.aes128GCM, .aes192GCM, .aes256GCM]

  private let secret: Secret
  private let cipher: Cipher
  /// The initialization vector for messages without one. Empty if every message has its own.
  private let ownIV: [UInt8]

  package init(_ secret: Secret, iv: [UInt8]) throws(DecryptingError) {
    guard let cipher = Self.ciphers.first(where: { $0.keyCount == secret.count }),
      iv.isEmpty || iv.count == cipher.ivCounts[0]
    else { throw .failed }
    self.secret = secret
    self.cipher = cipher
    ownIV = iv
  }

  /// - Parameters:
  ///   - body: the ciphertext and the tag.
  ///   - given: the `iv` of the payload. Its length shows the mode: CBC has 16 characters, and ECB has no `iv`.
  package func open(_ body: [UInt8], iv given: String?) throws(DecryptingError) -> [UInt8] {
    var iv = ownIV
    if let given { iv = Array(given.utf8) }
    if iv.isEmpty { throw .unauthenticated(mode: "ECB") }
    if iv.count == Cipher.blockCount { throw .unauthenticated(mode: "CBC") }
    guard iv.count == cipher.ivCounts[0], body.count >= Cipher.tagCount,
      body.count <= DecryptingLimits.contentBytes
    else { throw .failed }
    let ciphertext = body.dropLast(Cipher.tagCount)
    return try CipherContext.decrypt(
      ciphertext.span, cipher, key: secret, iv: iv,
      tag: Array(body.suffix(Cipher.tagCount)))
  }

  /// Encrypts with a new `iv` of 12 characters.
  package func seal(_ plaintext: Span<UInt8>) throws(DecryptingError) -> (body: [UInt8], iv: String) {
    // In base64, nine bytes are twelve characters.
    let random = try OpenSSL.randomBytes(9)
    let iv = BaseEncoding.base64URL.encode(random.span)
    let body = try CipherContext.encrypt(plaintext, cipher, key: secret, iv: Array(iv.utf8))
    return (body, iv)
  }
}
