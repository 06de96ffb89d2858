/// Reads a file of XEP-0454: AES-256 in GCM, whose tag is the file's last 16 octets.
struct XMPPDecryptor: MediaFormatDecryptor, ~Copyable {
  private var cipher: CipherContext
  private var tail = HeldTail(count: Cipher.tagCount)
  private var output: PlaintextBuffer

  init(_ key: XMPPKey, pieceBytes: Int) throws(DecryptingError) {
    output = PlaintextBuffer(capacity: pieceBytes)
    cipher = try CipherContext(.aes256GCM, .decrypting, key: key.key, iv: key.iv.span)
  }

  mutating func update(_ ciphertext: Span<UInt8>, _ sink: PlaintextSink) throws(DecryptingError) {
    let released = tail.advance(over: ciphertext)
    try cipher.update(released.held.span, into: &output, sink)
    try cipher.update(ciphertext.extracting(first: released.fresh), into: &output, sink)
  }

  mutating func finish(_ sink: PlaintextSink) throws(DecryptingError) {
    guard tail.isComplete else { throw .failed }
    let tag = tail.bytes
    try cipher.finish(tag: tag.span)
    try output.drain(into: sink)
  }
}
