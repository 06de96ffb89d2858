internal import CLinux
internal import Synchronization

/// Makes all that was written to a file system durable in one go, as long as that is faster than file by
/// file: a journal is written once for all of them.
final class GroupSync: Sendable {
  /// The smallest group for which it is worth it, in files.
  static let fewest = 4
  /// Groups that go file by file after a slow one: others write much to the same file system, and a group
  /// would wait for that as well.
  static let rest = 64

  private let slowThreshold: Duration
  private let isReliable: Bool
  /// Groups left that go file by file. Locked during a sync: of two at once only one would be told of an
  /// error.
  private let resting = Mutex(0)
  private let failed = Atomic(0)

  /// How many groups have failed so far. Does not wait for a sync under way.
  var failures: Int { failed.load(ordering: .acquiring) }

  /// - Parameters:
  ///   - slowThreshold: a sync that takes longer is slow.
  ///   - isReliable: whether the kernel reports what could not be written. Before Linux 5.8 it did not,
  ///     syncfs(2).
  init(
    slowThreshold: Duration = .milliseconds(500), isReliable: Bool = file_system_sync_is_reliable()
  ) {
    self.slowThreshold = slowThreshold
    self.isReliable = isReliable
  }

  /// Blocks on the disk.
  /// - Parameters:
  ///   - count: files that wait for it.
  ///   - failures: `failures` when the first of the files was made. The kernel tells of an error once, and
  ///     not in which file it was: all that were being written then have to be asked.
  ///   - directory: of the file system.
  /// - Returns: whether all of them are durable. If not, each has to be synced on its own, which also tells
  ///   what is wrong with it.
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
