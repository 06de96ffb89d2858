internal import Synchronization

/// How much all files of a store together should hold in memory and not on the disk yet. A memory limit of
/// the kernel counts it, and kills the process when it cannot be written fast enough.
final class UnwrittenBytes: Sendable {
  /// The smallest and the largest piece that is written at once, in bytes.
  private static let pieces = 32_768...262_144

  /// In bytes.
  private let maximum: Int
  private let files = Atomic(0)

  init(maximum: Int) { self.maximum = maximum }

  /// How much of one file is written to the disk at once, in bytes. As much again is buffered for it
  /// meanwhile.
  var piece: Int {
    let share = maximum / 2 / max(1, files.load(ordering: .relaxed))
    return min(max(share, Self.pieces.lowerBound), Self.pieces.upperBound)
  }

  /// Called for a file that is larger than one piece.
  func join() { files.add(1, ordering: .relaxed) }

  /// Called when a file that has joined goes away.
  func leave() { files.subtract(1, ordering: .relaxed) }
}
