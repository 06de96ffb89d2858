internal import CLinux
internal import Synchronization

/// Makes all that was written to a file system durable in one go, for as long as that is faster than file by file: a journal is written
/// once for all of them.
final class GroupSync: Sendable {
  /// Files from which on it is worth it.
  static let fewest = 4
  /// Groups that go file by file after one that was slow: others write much to the same file system, and these wait for it too.
  static let rest = 64

  private let patience: Duration
  private let isReliable: Bool
  /// Groups left that go file by file. Held while the disk is waited for: of two at once only one would be told of an error.
  private let resting = Mutex(0)
  private let failed = Atomic(0)

  /// How many groups have failed until now. Does not wait for one that is on its way.
  var failures: Int { failed.load(ordering: .acquiring) }

  /// - Parameters:
  ///   - patience: what takes longer is slow.
  ///   - isReliable: whether the kernel tells of what could not be written. Before Linux 5.8 it said that all was well, syncfs(2).
  init(patience: Duration = .milliseconds(500), isReliable: Bool = file_system_sync_is_reliable()) {
    self.patience = patience
    self.isReliable = isReliable
  }

  /// Blocks on the disk.
  /// - Parameters:
  ///   - count: files that wait for it.
  ///   - failures: how many groups had failed when the first of them was begun. The kernel tells of an error once, and not in which file it
  ///     was: those that were being written then may have it, and each has to be asked.
  ///   - directory: of the file system.
  /// - Returns: whether all of them are durable. If not, each has to be made so by itself, and says by itself what is wrong with it.
  func sync(_ count: Int, begunAfter failures: Int, on directory: Int32) -> Bool {
    guard isReliable, count >= Self.fewest else { return false }
    return resting.withLock { left in
      guard left == 0 else {
        left -= 1
        return false
      }
      guard failures == self.failures else { return false }
      let clock = ContinuousClock()
      let start = clock.now
      guard sync_file_system(directory) == 0 else {
        failed.add(1, ordering: .releasing)
        return false
      }
      if clock.now - start > patience { left = Self.rest }
      return true
    }
  }
}
