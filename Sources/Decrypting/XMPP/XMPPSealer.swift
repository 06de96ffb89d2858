/// Makes files for `aesgcm://` URLs.
package enum XMPPSealer {
  /// - Parameters:
  ///   - key: 32 octets; a new one without it. Never used twice with the same `iv`.
  ///   - iv: 12 octets (16 as the first clients had it); random without it.
  /// - Returns: the file, and the key that goes into the URL.
  package static func seal(
    _ plaintext: Span<UInt8>, key: Secret? = nil, iv: [UInt8]? = nil
  ) throws(DecryptingError) -> (file: [UInt8], key: XMPPKey) {
    let secret = if let key { key } else { try Secret.random(count: Cipher.aes256GCM.keyCount) }
    let iv = if let iv { iv } else { try OpenSSL.randomBytes(12) }
    let key = try XMPPKey(key: secret, iv: iv)
    return (try CipherContext.encrypt(plaintext, .aes256GCM, key: key.key, iv: key.iv), key)
  }
}
