/// Decrypts the `aes128gcm` coding (RFC 8188) as a stream. Each record is authenticated by itself,
/// and the last one is marked, so a file with cut, swapped, dropped or repeated records fails.
struct RecordsDecryptor: MediaFormatDecryptor, ~Copyable {
  private let key: @Sendable (RecordsHeader) throws(DecryptingError) -> RecordsKey
  private var header: [UInt8] = []
  private var records: Records?
  private var output: PlaintextBuffer

  /// - Parameter key: returns the key. It is called once, when the header is complete.
  init(pieceBytes: Int, key: @escaping @Sendable (RecordsHeader) throws(DecryptingError) -> RecordsKey) {
    self.key = key
    output = PlaintextBuffer(capacity: pieceBytes)
  }

  mutating func update(_ ciphertext: Span<UInt8>, _ sink: PlaintextSink) throws(DecryptingError) {
    var rest = ciphertext
    while records == nil {
      let missing = RecordsHeader.count(of: header) - header.count
      guard missing > 0 else {
        let header = try RecordsHeader(header)
        records = try Records(header, key(header))
        break
      }
      guard !rest.isEmpty else { return }
      let piece = rest.extracting(first: min(missing, rest.count))
      header.append(contentsOf: piece)
      rest = rest.extracting(droppingFirst: piece.count)
    }
    try records?.update(rest, into: &output, sink)
  }

  mutating func finish(_ sink: PlaintextSink) throws(DecryptingError) {
    guard try records?.finish() != nil else { throw .failed }
    try output.drain(into: sink)
  }

  /// Decrypts everything after the header.
  private struct Records: ~Copyable {
    private static let step = 8_192

    private let recordSize: Int
    private var recordCount = 0
    private var schedule: RecordSchedule
    private var cipher: CipherContext
    private var tail = HeldTail(count: Cipher.tagCount)
    private var padding = RecordPadding()
    /// A decrypted piece of a record, including padding.
    private var padded = PlaintextBuffer(capacity: Self.step)
    /// The bytes of the record so far, including those held in `tail`.
    private var received = 0
    /// Whether the last record has ended. Nothing may follow it.
    private var isComplete = false

    init(_ header: RecordsHeader, _ key: RecordsKey) throws(DecryptingError) {
      if let expected = key.keyID, !header.keyID.isEmpty, header.keyID != expected { throw .failed }
      let schedule = try key.schedule(salt: header.salt.span)
      cipher = try CipherContext(.aes128GCM, .decrypting, key: schedule.key, iv: schedule.nonce.span)
      recordSize = header.recordSize
      self.schedule = schedule
    }

    mutating func update(
      _ ciphertext: Span<UInt8>, into output: inout PlaintextBuffer, _ sink: PlaintextSink
    ) throws(DecryptingError) {
      var rest = ciphertext
      while !rest.isEmpty {
        guard !isComplete else { throw .failed }
        let piece = rest.extracting(first: min(rest.count, recordSize - received))
        let released = tail.advance(over: piece)
        try decrypt(released.held.span, into: &output, sink)
        try decrypt(piece.extracting(first: released.fresh), into: &output, sink)
        received += piece.count
        if received == recordSize { try endRecord() }
        rest = rest.extracting(droppingFirst: piece.count)
      }
    }

    mutating func finish() throws(DecryptingError) {
      if received > 0 { try endRecord() }
      guard isComplete else { throw .failed }
    }

    private mutating func decrypt(
      _ ciphertext: Span<UInt8>, into output: inout PlaintextBuffer, _ sink: PlaintextSink
    ) throws(DecryptingError) {
      for start in stride(from: 0, to: ciphertext.count, by: Self.step) {
        let end = min(start + Self.step, ciphertext.count)
        try cipher.update(ciphertext.extracting(start..<end), into: &padded)
        try padding.remove(from: padded, into: &output, sink)
        padded.clear()
      }
    }

    private mutating func endRecord() throws(DecryptingError) {
      recordCount += 1
      // 50 MB in records of 18 bytes would block the loop, and so all other transfers, for 2 s.
      guard received > Cipher.tagCount, recordSize >= 1_024 || recordCount <= 65_536 else { throw .failed }
      try cipher.finish(tag: tail.bytes, into: &padded)
      // The delimiter is 2 in the last record and 1 in all others.
      switch padding.endRecord() {
      case 2: isComplete = true
      case 1:
        try schedule.advance()
        let nonce = schedule.nonce
        try cipher.restart(iv: nonce.span)
      default: throw .failed
      }
      tail.clear()
      received = 0
    }
  }
}
