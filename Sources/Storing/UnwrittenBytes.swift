internal import Synchronization

/// What all files of a store hold in memory and not on the disk yet, with a limit. A memory limit of the kernel's counts it, and kills
/// when it cannot be written fast enough.
final class UnwrittenBytes: Sendable {
  /// In bytes.
  private let maximum: Int
  private let total = Atomic(0)

  init(maximum: Int) { self.maximum = maximum }

  /// Bytes of one file that are worth a write of their own.
  var piece: Int { maximum / 4 }

  /// - Returns: whether that is more than there may be.
  func add(_ count: Int) -> Bool { total.add(count, ordering: .relaxed).newValue > maximum }

  func remove(_ count: Int) { total.subtract(count, ordering: .relaxed) }
}
