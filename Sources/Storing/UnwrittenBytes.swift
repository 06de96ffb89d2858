internal import Synchronization

/// What all files of a store together should hold in memory and not on the disk yet. A memory limit of the kernel's counts it, and kills
/// when it cannot be written fast enough.
final class UnwrittenBytes: Sendable {
  /// Bytes that are worth a write of their own, at the least and at the most.
  private static let pieces = 32_768...262_144

  /// In bytes.
  private let maximum: Int
  private let files = Atomic(0)

  init(maximum: Int) { self.maximum = maximum }

  /// How much of one file the disk is given at once, in bytes: it has this much, and as much again is gathered for it meanwhile.
  var piece: Int {
    let share = maximum / 2 / max(1, files.load(ordering: .relaxed))
    return min(max(share, Self.pieces.lowerBound), Self.pieces.upperBound)
  }

  /// Another file is too large for one piece.
  func join() { files.add(1, ordering: .relaxed) }

  func leave() { files.subtract(1, ordering: .relaxed) }
}
