internal import Supporting

/// A format that encrypts a file as one stream. To add one, add a row and an `init` of `StreamKey`.
package struct StreamFormat: Sendable {
  /// A Matrix attachment, version 2 (client-server API, "Sending encrypted attachments"). Only the
  /// digest authenticates the file, so the reference itself has to come from decrypted content.
  package static let matrix = StreamFormat(cipher: .aes256CTR, counterCount: 8, hasDigest: true)
  /// A file behind an `aesgcm://` URL (XEP-0454).
  package static let xmpp = StreamFormat(cipher: .aes256GCM)
  /// A Signal attachment: `initialization vector(16) | AES-256-CBC | HMAC-SHA256(32)`.
  package static let signal = StreamFormat(
    cipher: .aes256CBC, startsWithIV: true, endsWithCode: true, hasDigest: true, hidesSize: true)

  /// The cipher. If it has a tag, that is the last 16 bytes of the file.
  let cipher: Cipher
  /// The number of zeros at the end of a new initialization vector.
  var counterCount = 0
  /// Whether the file starts with the initialization vector. If not, the reference has it.
  var startsWithIV = false
  /// Whether the file ends with an HMAC-SHA256 of the rest. Its key follows the cipher's key.
  var endsWithCode = false
  /// Whether the reference has the SHA-256 of the whole file.
  var hasDigest = false
  /// Whether padding hides the size of the plaintext. The reference has the size.
  var hidesSize = false

  /// The length of all keys together, in bytes.
  var keyCount: Int { cipher.keyCount + (endsWithCode ? MessageCode.count : 0) }
  /// The number of bytes at the end of a file that are not ciphertext.
  var tailCount: Int { endsWithCode ? MessageCode.count : cipher.hasTag ? Cipher.tagCount : 0 }

  /// Encrypts a file, by default with new keys and `iv`. Never use keys twice with the same `iv`.
  package func seal(
    _ plaintext: Span<UInt8>, secret: Secret? = nil, iv: [UInt8]? = nil
  ) throws(DecryptingError) -> (file: [UInt8], key: StreamKey) {
    let secret = if let secret { secret } else { try Secret.random(count: keyCount) }
    let newIV = try OpenSSL.randomBytes(cipher.ivCounts[0] - counterCount)
    let iv = iv ?? newIV + [UInt8](repeating: 0, count: counterCount)
    var file = startsWithIV ? iv : []
    file += try CipherContext.encrypt(plaintext, cipher, key: secret.part(0..<cipher.keyCount), iv: iv)
    if endsWithCode {
      var code = try MessageCode(key: secret.part(cipher.keyCount..<keyCount))
      try code.update(file.span)
      file += try code.finish()
    }
    let digest = try hasDigest ? OpenSSL.check(SHA256.digest(of: file.span)) : []
    let size = hidesSize ? plaintext.count : nil
    return (file, try StreamKey(self, secret, iv: startsWithIV ? [] : iv, digest: digest, size: size))
  }
}
