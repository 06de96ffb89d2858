internal import Supporting

/// Decrypts a file that is encrypted as one stream, in the way that its `StreamFormat` defines.
struct StreamDecryptor: MediaFormatDecryptor, ~Copyable {
  private let key: StreamKey
  private var iv: [UInt8]
  /// Nil until `iv` is complete.
  private var cipher: CipherContext?
  private var code: MessageCode?
  private var digest: SHA256?
  private var tail: HeldTail
  private var output: PlaintextBuffer
  /// Bytes of ciphertext that may still come.
  private var room: UInt64

  init(_ key: StreamKey, pieceBytes: Int) throws(DecryptingError) {
    let format = key.format
    self.key = key
    iv = key.iv
    tail = HeldTail(count: format.tailCount)
    output = PlaintextBuffer(capacity: pieceBytes, wanted: key.size ?? .max)
    let blocks = UInt64(Cipher.blockCount)
    room =
      (key.maximumBlocks ?? .max).multipliedReportingOverflow(by: blocks).overflow
      ? .max : (key.maximumBlocks ?? .max) * blocks
    digest = format.hasDigest ? try OpenSSL.check(SHA256()) : nil
    let codeKey = format.cipher.keyCount..<format.keyCount
    code = format.endsWithCode ? try MessageCode(key: key.secret.part(codeKey)) : nil
    cipher = nil
    if !format.startsWithIV { try start() }
  }

  mutating func update(_ ciphertext: Span<UInt8>, _ sink: PlaintextSink) throws(DecryptingError) {
    digest?.update(ciphertext)
    let released = tail.advance(over: ciphertext)
    try decrypt(released.held.span, sink)
    try decrypt(ciphertext.extracting(first: released.fresh), sink)
  }

  mutating func finish(_ sink: PlaintextSink) throws(DecryptingError) {
    let format = key.format
    guard tail.isComplete else { throw .failed }
    let actualDigest = try format.hasDigest ? OpenSSL.check(digest?.finish() ?? nil) : []
    let actualCode = try code?.finish() ?? tail.bytes
    let isIntact = OpenSSL.areEqual(actualDigest.span, key.digest.span)
    let isAuthentic = OpenSSL.areEqual(actualCode.span, tail.bytes.span)
    guard isIntact, isAuthentic else { throw .failed }
    // Checks the padding last, so that a sender cannot use it as a padding oracle.
    let tag = format.cipher.hasTag ? tail.bytes : nil
    guard try cipher?.finish(tag: tag, into: &output) != nil else { throw .failed }
    try output.drain(into: sink)
    guard key.size == nil || output.wanted == 0 else { throw .failed }
  }

  private mutating func start() throws(DecryptingError) {
    let cipher = key.format.cipher
    let secret = try key.secret.part(0..<cipher.keyCount)
    self.cipher = try CipherContext(cipher, .decrypting, key: secret, iv: iv.span)
  }

  private mutating func decrypt(_ bytes: Span<UInt8>, _ sink: PlaintextSink) throws(DecryptingError) {
    guard bytes.count <= room else { throw .failed }
    room -= UInt64(bytes.count)
    try code?.update(bytes)
    var rest = bytes
    if cipher == nil {
      let ivCount = key.format.cipher.ivCounts[0]
      let piece = rest.extracting(first: min(rest.count, ivCount - iv.count))
      iv.append(contentsOf: piece)
      guard iv.count == ivCount else { return }
      try start()
      rest = rest.extracting(droppingFirst: piece.count)
    }
    try cipher?.update(rest, into: &output, sink)
  }
}
