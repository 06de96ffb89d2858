/// The key of content or media in the `aes128gcm` coding (RFC 8188).
package struct RecordsKey: Sendable {
  /// The input keying material.
  let secret: Secret
  /// What the header of the body has to name, unless it names nothing; nil where the payload names no key.
  let keyID: [UInt8]?

  /// - Parameter secret: 16 octets or more.
  /// - Throws: `DecryptingError.failed` for fewer.
  package init(_ secret: Secret, keyID: [UInt8]? = nil) throws(DecryptingError) {
    guard secret.count >= 16 else { throw .failed }
    self.secret = secret
    self.keyID = keyID
  }

  /// The keys of one message (RFC 8188 sections 2.2 and 2.3).
  func schedule(salt: Span<UInt8>) throws(DecryptingError) -> RecordSchedule {
    let key = try KeyDerivation.hkdf(
      secret, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), count: Cipher.aes128GCM.keyCount)
    let nonce = try KeyDerivation.hkdf(
      secret, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), count: RecordSchedule.nonceCount)
    return RecordSchedule(key: key, nonce: nonce)
  }
}
