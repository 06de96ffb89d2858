/// Handles whole messages in memory: short ones, and those made for tests and trials.
extension CipherContext {
  /// Returns the ciphertext, followed in GCM by the tag, which authenticates `additionalData` too.
  static func encrypt(
    _ plaintext: Span<UInt8>, _ cipher: Cipher, key: Secret, iv: [UInt8], additionalData: [UInt8] = []
  ) throws(DecryptingError) -> [UInt8] {
    var context = try CipherContext(cipher, .encrypting, key: key, iv: iv.span)
    let ciphertext = try context.whole(plaintext, additionalData)
    return cipher.hasTag ? ciphertext + (try context.tag()) : ciphertext
  }

  /// - Parameter tag: the 16-byte tag of GCM; nil for the other modes.
  static func decrypt(
    _ ciphertext: Span<UInt8>, _ cipher: Cipher, key: Secret, iv: [UInt8], additionalData: [UInt8] = [],
    tag: [UInt8]? = nil
  ) throws(DecryptingError) -> [UInt8] {
    guard cipher.hasTag == (tag != nil) else { throw .failed }
    var context = try CipherContext(cipher, .decrypting, key: key, iv: iv.span)
    return try context.whole(ciphertext, additionalData, tag: tag)
  }

  private mutating func whole(
    _ input: Span<UInt8>, _ additionalData: [UInt8], tag: [UInt8]? = nil
  ) throws(DecryptingError) -> [UInt8] {
    try authenticate(additionalData.span)
    var output = PlaintextBuffer(capacity: input.count)
    try update(input, into: &output)
    try finish(tag: tag, into: &output)
    return output.bytes()
  }
}
