internal import Synchronization

/// Buffers for short files. A buffered file is written in one go and at whole pages, which takes half the time;
/// and one that fits into its buffer is written by whoever commits it, and not on the transfer loop's thread.
/// They are lent while there is plenty of memory: the other files are written as they come.
final class WriteBufferPool: Sendable {
  /// Buffers at once. These are enough: most files arrive as fast as they can be read, and are committed soon.
  static let count = 32
  /// The size of a buffer, in bytes: whole pages.
  static let bytes = 24_576
  /// A longer file gets no buffer, in bytes: it takes its time.
  static let largestFile = 65_536

  private let isMemoryPlenty: @Sendable () -> Bool
  private let taken = Atomic(0)
  /// Of buffers that were given back, empty: 800 KB at most, which stay while memory is plenty.
  /// From the heap each would have malloc gather all its small blocks.
  private let memory = Mutex<[[UInt8]]>([])

  /// Buffers whose memory nobody has now.
  var spares: Int { memory.withLock { $0.count } }

  /// - Parameter isMemoryPlenty: whether the process has far less than it may have.
  init(isMemoryPlenty: @escaping @Sendable () -> Bool) { self.isMemoryPlenty = isMemoryPlenty }

  /// - Parameter announced: how long the file will be, in bytes, where that was said.
  /// - Returns: nil if it is too long, all buffers are taken, or memory is not plenty.
  func take(for announced: Int?) -> Buffer? {
    guard let announced, announced <= Self.largestFile else { return nil }
    guard isMemoryPlenty() else {
      freeSpare()
      return nil
    }
    guard taken.add(1, ordering: .relaxed).newValue <= Self.count else {
      giveBack()
      return nil
    }
    return Buffer(of: self)
  }

  private func freeSpare() {
    // Freed without the lock.
    _ = memory.withLock { $0.popLast() }
  }

  private func giveBack() { taken.subtract(1, ordering: .relaxed) }

  /// The right to one buffer, until this value goes away.
  struct Buffer: ~Copyable, Sendable {
    private let pool: WriteBufferPool

    fileprivate init(of pool: WriteBufferPool) { self.pool = pool }

    deinit { pool.giveBack() }

    /// Memory for it, empty. Called once.
    func takeMemory() -> [UInt8] {
      var memory = pool.memory.withLock { $0.popLast() } ?? []
      memory.reserveCapacity(WriteBufferPool.bytes)
      return memory
    }

    /// Leaves its memory, empty again, to another file.
    func leave(_ memory: [UInt8]) {
      guard pool.isMemoryPlenty() else { return pool.freeSpare() }
      pool.memory.withLock { $0.append(memory) }
    }
  }
}
