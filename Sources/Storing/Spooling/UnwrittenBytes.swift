internal import Synchronization

/// How much all files of a store together should hold in memory and not on the disk yet. A memory limit
/// counts it, and the kernel kills the process if it cannot be written fast enough.
final class UnwrittenBytes: Sendable {
  private let maximum: Int
  private let files = Atomic(0)

  init(maximum: Int) { self.maximum = maximum }

  /// How much of one file is written to the disk at once, in bytes. As much again is buffered meanwhile.
  var piece: Int {
    let share = maximum / 2 / max(1, files.load(ordering: .relaxed))
    return min(max(share, 32_768), 262_144)
  }

  /// Called for a file that is larger than one piece.
  func join() { files.add(1, ordering: .relaxed) }
  func leave() { files.subtract(1, ordering: .relaxed) }
}
