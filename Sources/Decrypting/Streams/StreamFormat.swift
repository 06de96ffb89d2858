internal import Supporting

/// A format that encrypts a file as one stream. To add one, add a row here and an `init` of `StreamKey`.
package struct StreamFormat: Sendable {
  /// A Matrix attachment, version 2 (client-server API, "Sending encrypted attachments"). Only the digest
  /// vouches for it, so the reference itself has to come from inside a ciphertext.
  package static let matrix = StreamFormat(cipher: .aes256CTR, counterCount: 8, hasDigest: true)
  /// A file behind an `aesgcm://` URL (XEP-0454).
  package static let xmpp = StreamFormat(cipher: .aes256GCM)
  /// An attachment of Signal's: `initialisation vector(16) | AES-256-CBC | HMAC-SHA256(32)`.
  package static let signal = StreamFormat(
    cipher: .aes256CBC, startsWithIV: true, endsWithCode: true, hasDigest: true, hidesSize: true)

  /// If it has a tag, the tag is the file's last 16 bytes.
  let cipher: Cipher
  /// Zeros at the end of a new initialisation vector.
  var counterCount = 0
  /// Whether the file starts with the initialisation vector. Otherwise the reference has it.
  var startsWithIV = false
  /// Whether the file ends with an HMAC-SHA256 of everything before. Its key follows that of the cipher.
  var endsWithCode = false
  /// Whether the reference has the SHA-256 of the whole file.
  var hasDigest = false
  /// Whether padding hides the size of the plaintext. The reference has the size.
  var hidesSize = false

  /// Bytes of all its keys.
  var keyCount: Int { cipher.keyCount + (endsWithCode ? MessageCode.count : 0) }
  /// Bytes at the end of a file that are no ciphertext.
  var tailCount: Int { endsWithCode ? MessageCode.count : cipher.hasTag ? Cipher.tagCount : 0 }

  /// Encrypts a file, by default with new keys and a random `iv`. Keys may be used only once with an `iv`.
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
