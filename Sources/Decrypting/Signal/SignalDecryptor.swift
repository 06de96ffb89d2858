/// Reads an attachment as Signal makes them: `initialisation vector(16) | AES-256-CBC with PKCS #7 |
/// HMAC-SHA256(32)` of all before it, and a SHA-256 of all of it that came another way.
struct SignalDecryptor: MediaFormatDecryptor, ~Copyable {
  private let key: SignalKey
  /// The initialisation vector, until it is complete.
  private var iv: [UInt8] = []
  private var cipher: CipherContext?
  private var hashes: CiphertextHashes
  private var tail = HeldTail(count: MessageCode.count)
  private var output: PlaintextBuffer
  /// Octets of the plaintext that were not passed on yet.
  private var wanted: Int

  init(_ key: SignalKey, pieceBytes: Int) throws(DecryptingError) {
    hashes = try CiphertextHashes(key: key.keys.part(32..<64), pieceBytes: pieceBytes)
    output = PlaintextBuffer(capacity: pieceBytes)
    self.key = key
    wanted = key.size
  }

  mutating func update(_ ciphertext: Span<UInt8>, _ sink: PlaintextSink) throws(DecryptingError) {
    let released = tail.advance(over: ciphertext)
    try decrypt(released.held.span, sink)
    try decrypt(ciphertext.extracting(first: released.fresh), sink)
  }

  mutating func finish(_ sink: PlaintextSink) throws(DecryptingError) {
    let actual = try hashes.finish(tail: tail.bytes)
    let isAuthentic = OpenSSL.areEqual(actual.code.span, tail.bytes.span)
    let isIntact = OpenSSL.areEqual(actual.digest.span, key.digest.span)
    guard isAuthentic, isIntact else { throw .failed }
    // The padding is looked at only now that nobody could have tried any.
    guard try cipher?.finish(into: &output) != nil else { throw .failed }
    try drain(into: sink)
    guard wanted == 0 else { throw .failed }
  }

  private mutating func decrypt(_ bytes: Span<UInt8>, _ sink: PlaintextSink) throws(DecryptingError) {
    hashes.update(bytes)
    var rest = bytes
    if cipher == nil {
      let piece = rest.extracting(first: min(rest.count, 16 - iv.count))
      iv.append(contentsOf: piece)
      guard iv.count == 16 else { return }
      cipher = try CipherContext(.aes256CBC, .decrypting, key: key.keys.part(0..<32), iv: iv.span)
      rest = rest.extracting(droppingFirst: piece.count)
    }
    while !rest.isEmpty {
      if output.room <= Cipher.blockCount { try drain(into: sink) }
      let piece = rest.extracting(first: min(rest.count, output.room - Cipher.blockCount))
      try cipher?.update(piece, into: &output)
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
