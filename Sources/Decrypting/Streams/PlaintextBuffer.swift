internal import COpenSSL

/// Takes plaintext that is not verified yet, so it must write to a file that has no name.
typealias PlaintextSink = (Span<UInt8>) throws(DecryptingError) -> Void

/// Collects plaintext until there is enough to pass on. Wiped when it is destroyed.
@safe struct PlaintextBuffer: ~Copyable {
  private let memory: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0
  /// The number of bytes that may still be passed on. Bytes after them are dropped.
  private(set) var wanted: Int

  /// - Parameter capacity: the bytes that it holds, not counting room for two blocks of a cipher.
  init(capacity: Int, wanted: Int = .max) {
    unsafe memory = .allocate(capacity: max(0, capacity) + 32)
    unsafe memory.initialize(repeating: 0)
    self.wanted = wanted
  }

  deinit {
    unsafe OPENSSL_cleanse(memory.baseAddress, memory.count)
    unsafe memory.deallocate()
  }

  var room: Int { unsafe memory.count - count }

  func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let used = unsafe memory.extracting(..<count)
    return try unsafe body(used.span)
  }

  /// A copy, for verified content. The caller must wipe it, as it may contain keys of media.
  func bytes() -> [UInt8] { unsafe Array(memory.extracting(..<count)) }

  /// Lets `body` write into the free room. `body` returns how many bytes it has written.
  mutating func append(
    _ body: (UnsafeMutableBufferPointer<UInt8>) throws(DecryptingError) -> Int
  ) throws(DecryptingError) {
    let written = try unsafe body(memory.extracting(count...))
    guard written >= 0, written <= room else { throw .failed }
    count += written
  }

  /// When there is no room, drains into `sink`, or fails if no sink is given.
  mutating func append(
    _ bytes: Span<UInt8>, _ sink: PlaintextSink = { _ throws(DecryptingError) in throw .failed }
  ) throws(DecryptingError) {
    var rest = bytes
    while !rest.isEmpty {
      if room == 0 { try drain(into: sink) }
      let piece = rest.extracting(first: min(rest.count, room))
      unsafe piece.withUnsafeBufferPointer { piece in
        _ = unsafe memory.extracting(count...).update(fromContentsOf: piece)
      }
      count += piece.count
      rest = rest.extracting(droppingFirst: piece.count)
    }
  }

  mutating func append(_ byte: UInt8, times: Int = 1, _ sink: PlaintextSink) throws(DecryptingError) {
    var left = times
    while left > 0 {
      if room == 0 { try drain(into: sink) }
      let piece = min(left, room)
      unsafe memory.extracting(count..<count + piece).update(repeating: byte)
      count += piece
      left -= piece
    }
  }

  /// Empties the buffer into `sink`.
  mutating func drain(into sink: PlaintextSink) throws(DecryptingError) {
    count = min(count, wanted)
    guard count > 0 else { return }
    wanted -= count
    try withSpan(sink)
    clear()
  }

  /// Keeps the bytes in memory until they are overwritten, or wiped with the buffer.
  mutating func clear() { count = 0 }
}
