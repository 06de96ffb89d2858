internal import Synchronization

/// Limits how many short files are buffered at once. A buffered file is written in one go and at whole pages,
/// which takes half the time. A few buffers are enough, because most files arrive as fast as they can be
/// read; the others are written as they come.
final class WriteBufferPool: Sendable {
  /// Buffers at once.
  static let count = 8
  /// The size of a buffer, in bytes: whole pages.
  static let bytes = 16_384
  /// A longer file gets no buffer, in bytes: it takes its time.
  static let largestFile = 65_536

  private let taken = Atomic(0)

  /// - Parameter announced: how long the file will be, in bytes, where that was said.
  /// - Returns: nil if it is too long, or all buffers are taken.
  func take(for announced: Int?) -> Buffer? {
    guard let announced, announced <= Self.largestFile else { return nil }
    guard taken.add(1, ordering: .relaxed).newValue <= Self.count else {
      giveBack()
      return nil
    }
    return Buffer(of: self)
  }

  private func giveBack() { taken.subtract(1, ordering: .relaxed) }

  /// The right to one buffer, until this value goes away. The memory is the file's own.
  struct Buffer: ~Copyable, Sendable {
    private let pool: WriteBufferPool

    fileprivate init(of pool: WriteBufferPool) { self.pool = pool }

    deinit { pool.giveBack() }
  }
}
