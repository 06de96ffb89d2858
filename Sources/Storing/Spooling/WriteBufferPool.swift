internal import Synchronization

/// Buffers for short files. A buffered file is written in one go and at whole pages, which takes half the time;
/// one that fits into its buffer is written by whoever commits it, and not on the transfer loop's thread. They are
/// lent while there is plenty of memory: the other files are written as they come.
final class WriteBufferPool: Sendable {
  /// Buffers at once. These are enough: most files arrive as fast as they can be read, and are committed soon.
  static let count = 32
  /// The size of a buffer, in bytes: whole pages.
  static let bytes = 24_576
  /// A longer file gets no buffer, in bytes: it takes its time.
  static let largestFile = 65_536

  private let isMemoryPlenty: @Sendable () -> Bool
  /// The spares are buffers that were given back, empty: 800 KB at most, which stay while memory is plenty. From
  /// the heap each would have malloc gather all its small blocks.
  private let state = Mutex((taken: 0, spares: [[UInt8]]()))

  /// Buffers whose memory nobody has now.
  var spares: Int { state.withLock { $0.spares.count } }

  /// - Parameter isMemoryPlenty: whether the process has far less than it may have.
  init(isMemoryPlenty: @escaping @Sendable () -> Bool) { self.isMemoryPlenty = isMemoryPlenty }

  /// A buffer, empty, which has to be given back.
  /// - Parameter announced: how long the file will be, in bytes, if that is known.
  /// - Returns: nil if the file is too long, all buffers are taken, or memory is not plenty.
  func take(for announced: Int?) -> [UInt8]? {
    guard let announced, announced <= Self.largestFile else { return nil }
    let isPlenty = isMemoryPlenty()
    var buffer = state.withLock { state -> [UInt8]? in
      guard isPlenty, state.taken < Self.count else {
        // Freed without the lock.
        return isPlenty ? nil : state.spares.popLast()
      }
      state.taken += 1
      return state.spares.popLast() ?? []
    }
    guard isPlenty else { return nil }
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
