internal import COpenSSL

/// Where plaintext goes while it streams past: into a file without a name, as nothing of it is verified yet.
typealias PlaintextSink = (Span<UInt8>) throws(DecryptingError) -> Void

/// Plaintext that waits until there is enough of it to pass on. Wiped with its owner.
@safe struct PlaintextBuffer: ~Copyable {
  private let memory: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0
  /// Octets that may still be passed on. What follows them is dropped.
  private(set) var wanted: Int

  /// - Parameter capacity: octets it holds at most; room for a block of a cipher comes on top.
  init(capacity: Int, wanted: Int = .max) {
    unsafe memory = .allocate(capacity: max(0, capacity) + 32)
    unsafe memory.initialize(repeating: 0)
    self.wanted = wanted
  }

  deinit {
    unsafe OPENSSL_cleanse(memory.baseAddress, memory.count)
    unsafe memory.deallocate()
  }

  /// Octets that can still be appended.
  var room: Int { unsafe memory.count - count }

  /// All of it.
  /// - Throws: what `body` throws.
  func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let used = unsafe memory.extracting(..<count)
    return try unsafe body(used.span)
  }

  /// A copy, for content that is verified. Whoever gets it wipes it: keys of media may stand in it.
  func bytes() -> [UInt8] { unsafe Array(memory.extracting(..<count)) }

  /// Has `body` write behind what is there.
  /// - Parameter body: gets the room, and returns how much of it is written.
  mutating func append(
    _ body: (UnsafeMutableBufferPointer<UInt8>) throws(DecryptingError) -> Int
  ) throws(DecryptingError) {
    let written = try unsafe body(memory.extracting(count...))
    guard written >= 0, written <= room else { throw .failed }
    count += written
  }

  /// Appends `bytes`, and makes room with `sink` whenever there is none.
  /// - Throws: `DecryptingError.failed` without a sink, if there is not enough room.
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

  /// Appends `byte` as often as that, and makes room with `sink` whenever there is none.
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

  /// Passes all of it on and is empty then.
  mutating func drain(into sink: PlaintextSink) throws(DecryptingError) {
    count = min(count, wanted)
    guard count > 0 else { return }
    wanted -= count
    try withSpan(sink)
    clear()
  }

  /// Empties it; the octets are wiped with the buffer.
  mutating func clear() { count = 0 }
}
