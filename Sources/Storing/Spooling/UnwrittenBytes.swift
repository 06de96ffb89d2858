internal import Synchronization

/// Limits how many bytes of all files of a store are in memory and not on the disk yet. A memory
/// limit counts these bytes, and the kernel kills the process if they are not written fast enough.
final class UnwrittenBytes: Sendable {
  private let maximum: Int
  private let files = Atomic(0)

  init(maximum: Int) { self.maximum = maximum }

  /// How many bytes of one file are written to the disk at once. As many are buffered meanwhile.
  var piece: Int {
    let share = maximum / 2 / max(1, files.load(ordering: .relaxed))
    return min(max(share, 32_768), 262_144)
  }

  /// Called for a file that is larger than one piece.
  func join() { files.add(1, ordering: .relaxed) }
  func leave() { files.subtract(1, ordering: .relaxed) }
}
