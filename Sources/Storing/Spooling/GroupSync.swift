internal import CLinux
internal import Synchronization

/// Makes all that was written to a file system durable at once, while that is faster than file by file.
final class GroupSync: Sendable {
  /// The smallest group for which it is worth it, in files.
  static let fewest = 4
  /// Groups that go file by file after a slow one: a group waits for the files of others, too.
  static let rest = 64

  private let slowThreshold: Duration
  private let isReliable: Bool
  /// Groups left that go file by file. Locked during a sync: of two at once only one would get an error.
  private let resting = Mutex(0)
  private let failed = Atomic(0)

  /// How many groups have failed so far. Does not wait for a sync under way.
  var failures: Int { failed.load(ordering: .acquiring) }

  /// - Parameter isReliable: whether the kernel reports all errors, as since Linux 5.8 (syncfs(2)).
  init(slowThreshold: Duration = .milliseconds(500), isReliable: Bool = file_system_sync_is_reliable()) {
    (self.slowThreshold, self.isReliable) = (slowThreshold, isReliable)
  }

  /// Blocks on the disk.
  /// - Parameter failures: `failures` when the first of the files was made: the kernel reports an error once.
  /// - Returns: whether all are durable. If not, sync each on its own, which also tells what is wrong.
  func sync(_ count: Int, begunAfter failures: Int, on directory: Int32) -> Bool {
    guard isReliable, count >= Self.fewest else { return false }
    return resting.withLock { left in
      guard left == 0 else {
        left -= 1
        return false
      }
      guard failures == self.failures else { return false }
      let start = ContinuousClock.now
      guard sync_file_system(directory) == 0 else {
        failed.add(1, ordering: .releasing)
        return false
      }
      if .now - start > slowThreshold { left = Self.rest }
      return true
    }
  }
}
