internal import Synchronization

/// Buffers for short files, lent while there is plenty of memory. Writing in whole pages takes half the time;
/// a file that fits into its buffer is written by whoever commits it, off the transfer loop's thread.
final class WriteBufferPool: Sendable {
  /// The most buffers. They are enough: most files arrive fast, and are committed soon.
  static let count = 32
  /// The size of a buffer, in bytes: whole pages.
  static let bytes = 24_576
  /// A longer file gets no buffer, in bytes: it takes its time.
  static let largestFile = 65_536

  private let isMemoryPlenty: @Sendable () -> Bool
  /// The spares are empty: 800 KB at most. Each new one would have malloc gather all its small blocks.
  private let state = Mutex((taken: 0, spares: [[UInt8]]()))

  /// How many buffers nobody has now.
  var spares: Int { state.withLock { $0.spares.count } }
  init(isMemoryPlenty: @escaping @Sendable () -> Bool) { self.isMemoryPlenty = isMemoryPlenty }

  /// An empty buffer, which has to be given back.
  /// - Returns: nil if the file is too long, all buffers are taken, or memory is not plenty.
  func take(for announced: Int?) -> [UInt8]? {
    guard let announced, announced <= Self.largestFile else { return nil }
    guard isMemoryPlenty() else {
      // Freed without the lock.
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

  /// - Parameter buffer: empty again; nil if its memory is gone.
  func giveBack(_ buffer: [UInt8]? = nil) {
    let isPlenty = isMemoryPlenty()
    _ = state.withLock { state in
      state.taken -= 1
      if isPlenty, let buffer { state.spares.append(buffer) }
      return isPlenty ? nil : state.spares.popLast()
    }
  }
}
