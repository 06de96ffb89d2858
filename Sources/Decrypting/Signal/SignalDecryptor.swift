/// Reads an attachment as Signal makes them: `initialisation vector(16) | AES-256-CBC with PKCS #7 | HMAC-SHA256(32)` of all
/// before it, and a SHA-256 of all of it that came another way.
struct SignalDecryptor: MediaFormatDecryptor, ~Copyable {
  private let key: SignalKey
  /// The initialisation vector, until it is complete.
  private var iv: [UInt8] = []
  private var cipher: CipherContext?
  private var code: MessageCode
  private var digest: Digest
  private var tail = HeldTail(count: MessageCode.count)
  private var output = PlaintextBuffer()
  /// Octets of the plaintext that were not passed on yet.
  private var wanted: Int

  init(_ key: SignalKey) throws(DecryptingError) {
    let code = try MessageCode(key: key.keys.part(32..<64))
    let digest = try Digest()
    self.key = key
    wanted = key.size
    self.code = code
    self.digest = digest
  }

  mutating func update(_ ciphertext: Span<UInt8>, _ sink: PlaintextSink) throws(DecryptingError) {
    try digest.update(ciphertext)
    let released = tail.advance(over: ciphertext)
    try decrypt(released.held.span, sink)
    try decrypt(ciphertext.extracting(first: released.fresh), sink)
  }

  mutating func finish(_ sink: PlaintextSink) throws(DecryptingError) {
    let actualCode = try code.finish()
    let actualDigest = try digest.finish()
    let isAuthentic = OpenSSL.areEqual(actualCode.span, tail.bytes.span)
    let isIntact = OpenSSL.areEqual(actualDigest.span, key.digest.span)
    guard isAuthentic, isIntact else { throw .failed }
    // The padding is looked at only now that nobody could have tried any.
    guard try cipher?.finish(into: &output) != nil else { throw .failed }
    try drain(into: sink)
    guard wanted == 0 else { throw .failed }
  }

  private mutating func decrypt(_ bytes: Span<UInt8>, _ sink: PlaintextSink) throws(DecryptingError) {
    try code.update(bytes)
    var rest = bytes
    if cipher == nil {
      let piece = rest.extracting(first: min(rest.count, 16 - iv.count))
      iv.append(contentsOf: piece)
      guard iv.count == 16 else { return }
      cipher = try CipherContext(.aes256CBC, .decrypting, key: key.keys.part(0..<32), iv: iv.span)
      rest = rest.extracting(droppingFirst: piece.count)
    }
    while !rest.isEmpty {
      let piece = rest.extracting(first: min(rest.count, PlaintextBuffer.streamingCapacity))
      try cipher?.update(piece, into: &output)
      try drain(into: sink)
      rest = rest.extracting(droppingFirst: piece.count)
    }
  }

  /// Passes the plaintext on, and drops its padding.
  private mutating func drain(into sink: PlaintextSink) throws(DecryptingError) {
    output.truncate(to: wanted)
    wanted -= output.count
    try output.drain(into: sink)
  }
}
