internal import Supporting

/// Makes attachments as Signal does.
package enum SignalSealer {
  /// - Parameters:
  ///   - keys: 64 octets; new ones without them.
  ///   - iv: 16 octets; random without it.
  ///   - padding: zeros behind the plaintext, which hide its length.
  /// - Returns: the file, and the key that goes into the message.
  package static func seal(
    _ plaintext: Span<UInt8>, keys: Secret? = nil, iv: [UInt8]? = nil, padding: Int = 0
  ) throws(DecryptingError) -> (file: [UInt8], key: SignalKey) {
    let keys = if let keys { keys } else { try Secret.random(count: SignalKey.keyCount) }
    let iv = if let iv { iv } else { try OpenSSL.randomBytes(16) }
    var padded: [UInt8] = []
    padded.append(contentsOf: plaintext)
    padded.append(contentsOf: repeatElement(0, count: max(0, padding)))
    var file = iv
    file += try CipherContext.encrypt(padded.span, .aes256CBC, key: keys.part(0..<32), iv: iv)
    var code = try MessageCode(key: keys.part(32..<64))
    try code.update(file.span)
    file += try code.finish()
    var digest = try OpenSSL.check(SHA256())
    digest.update(file.span)
    return (file, try SignalKey(keys: keys, digest: OpenSSL.check(digest.finish()), size: plaintext.count))
  }
}
