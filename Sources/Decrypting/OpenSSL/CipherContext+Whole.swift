/// Messages that are short, or only made for tests and trials: as a whole in memory.
extension CipherContext {
  /// - Parameter additionalData: what GCM authenticates besides.
  /// - Returns: the ciphertext; with GCM its tag follows.
  static func encrypt(
    _ plaintext: Span<UInt8>, _ cipher: Cipher, key: Secret, iv: [UInt8], additionalData: [UInt8] = []
  ) throws(DecryptingError) -> [UInt8] {
    var context = try CipherContext(cipher, .encrypting, key: key, iv: iv.span)
    try context.authenticate(additionalData.span)
    var ciphertext: [UInt8] = []
    ciphertext.reserveCapacity(plaintext.count + 32)
    var output = PlaintextBuffer(capacity: min(plaintext.count, MediaDecryptor.defaultPieceBytes))
    try context.update(plaintext, into: &output) { ciphertext.append(contentsOf: $0) }
    try output.drain { ciphertext.append(contentsOf: $0) }
    try context.finish(into: &output)
    try output.drain { ciphertext.append(contentsOf: $0) }
    return cipher.hasTag ? ciphertext + (try context.tag()) : ciphertext
  }

  /// - Parameter tag: of GCM, 16 octets; nil for the other modes.
  /// - Throws: `DecryptingError.failed` unless the tag, or in CBC the padding, is right.
  static func decrypt(
    _ ciphertext: Span<UInt8>, _ cipher: Cipher, key: Secret, iv: [UInt8], additionalData: [UInt8] = [],
    tag: [UInt8]? = nil
  ) throws(DecryptingError) -> [UInt8] {
    guard cipher.hasTag == (tag != nil) else { throw .failed }
    var context = try CipherContext(cipher, .decrypting, key: key, iv: iv.span)
    try context.authenticate(additionalData.span)
    var plaintext = PlaintextBuffer(capacity: ciphertext.count)
    try context.update(ciphertext, into: &plaintext)
    try context.finish(tag: tag, into: &plaintext)
    return plaintext.bytes()
  }
}

extension [UInt8] {
  mutating func append(contentsOf bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
