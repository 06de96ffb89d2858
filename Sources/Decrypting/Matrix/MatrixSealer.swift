internal import Supporting

/// Makes Matrix attachments.
package enum MatrixSealer {
  /// - Parameters:
  ///   - key: 32 octets; a new one without it. Never used twice with the same `salt`.
  ///   - salt: the first eight octets of the initialisation vector; random without it.
  /// - Returns: the file, and the key that goes into the event.
  package static func seal(
    _ plaintext: Span<UInt8>, key: Secret? = nil, salt: [UInt8]? = nil
  ) throws(DecryptingError) -> (file: [UInt8], key: MatrixKey) {
    let key = if let key { key } else { try Secret.random(count: Cipher.aes256CTR.keyCount) }
    let salt = if let salt { salt } else { try OpenSSL.randomBytes(8) }
    let iv = salt + [UInt8](repeating: 0, count: 8)
    let file = try CipherContext.encrypt(plaintext, .aes256CTR, key: key, iv: iv)
    var digest = try OpenSSL.check(SHA256())
    digest.update(file.span)
    return (file, try MatrixKey(key: key, iv: iv, sha256: OpenSSL.check(digest.finish())))
  }
}
