internal import Synchronization

/// Buffers for short files, lent while memory is plentiful. Writing in whole pages takes half the
/// time. A file that fits into its buffer is written by the commit, off the transfer loop's thread.
final class WriteBufferPool: Sendable {
  /// How many buffers may be lent. 32 are enough: most files arrive fast, and are committed soon.
  static let count = 32
  /// The size of a buffer, in bytes: whole pages.
  static let bytes = 24_576
  /// The longest file that gets a buffer, in bytes. A longer file takes its time anyway.
  static let largestFile = 65_536

  private let isMemoryPlenty: @Sendable () -> Bool
  /// Empty buffers, 800 KB at most. They are kept because malloc first merges its small free blocks when it
  /// allocates a new buffer.
  private let state = Mutex((taken: 0, spares: [[UInt8]]()))

  /// How many empty buffers are kept.
  var spares: Int { state.withLock { $0.spares.count } }
  init(isMemoryPlenty: @escaping @Sendable () -> Bool) { self.isMemoryPlenty = isMemoryPlenty }

  /// Lends an empty buffer, which must be given back.
  /// - Returns: nil if the file may be too long, all buffers are lent, or memory is scarce.
  func take(for announced: Int?) -> [UInt8]? {
    guard let announced, announced <= Self.largestFile else { return nil }
    guard isMemoryPlenty() else {
      // The buffer is freed after the lock is released.
      _ = state.withLock { $0.spares.popLast() }
      return nil
    }
    var buffer = state.withLock { state -> [UInt8]? in
      guard state.taken < Self.count else { return nil }
      state.taken += 1
      return state.spares.popLast() ?? []
    }
    buffer?.reserveCapacity(Self.bytes)
    return buffer
  }

  /// - Parameter buffer: the emptied buffer, or nil if its memory is gone.
  func giveBack(_ buffer: [UInt8]? = nil) {
    let isPlenty = isMemoryPlenty()
    _ = state.withLock { state in
      state.taken -= 1
      if isPlenty, let buffer { state.spares.append(buffer) }
      return isPlenty ? nil : state.spares.popLast()
    }
  }
}
