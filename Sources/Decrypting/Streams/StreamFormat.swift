internal import Supporting

/// A format that encrypts a file as one stream. A further one is a row here, and an `init` of `StreamKey` that
/// reads what its references say.
package struct StreamFormat: Sendable {
  /// A Matrix attachment, version 2 (client-server API, "Sending encrypted attachments"). The digest alone
  /// vouches for it, so the reference itself has to come from inside a ciphertext.
  package static let matrix = StreamFormat(cipher: .aes256CTR, counterCount: 8, hasDigest: true)
  /// A file behind an `aesgcm://` URL (XEP-0454).
  package static let xmpp = StreamFormat(cipher: .aes256GCM)
  /// An attachment as Signal makes them: `initialisation vector(16) | AES-256-CBC | HMAC-SHA256(32)`.
  package static let signal = StreamFormat(
    cipher: .aes256CBC, startsWithIV: true, endsWithCode: true, hasDigest: true, hidesSize: true)

  /// If it has a tag, that is the file's last 16 octets.
  let cipher: Cipher
  /// Zeros at the end of a new initialisation vector.
  var counterCount = 0
  /// Whether the initialisation vector stands in front of the ciphertext. Otherwise the reference says it.
  var startsWithIV = false
  /// Whether an HMAC-SHA256 of all before it ends the file. Its key follows that of the cipher.
  var endsWithCode = false
  /// Whether the reference says the SHA-256 of the whole file.
  var hasDigest = false
  /// Whether padding that hides the plaintext's size follows it. The reference says the size.
  var hidesSize = false

  /// Octets of all its keys.
  var keyCount: Int { cipher.keyCount + (endsWithCode ? MessageCode.count : 0) }
  /// Octets at the end of a file that are no ciphertext.
  var tailCount: Int { endsWithCode ? MessageCode.count : cipher.hasTag ? Cipher.tagCount : 0 }

  /// Encrypts a file.
  /// - Parameters:
  ///   - secret: all keys; new ones without it. Never used twice with the same `iv`.
  ///   - iv: random without it.
  /// - Returns: the file, and the key for its reference.
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
    let key = try StreamKey(
      self, secret, iv: startsWithIV ? [] : iv, digest: digest, size: hidesSize ? plaintext.count : nil)
    return (file, key)
  }
}
