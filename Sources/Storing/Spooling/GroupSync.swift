internal import CLinux
internal import Synchronization

/// Makes all writes to a file system durable at once, while that is faster than file by file.
final class GroupSync: Sendable {
  /// The smallest group for which that pays off, in files.
  static let fewest = 4
  /// The least number of groups that go file by file after a slow one. A group also waits for others' files.
  static let rest = 64

  private let slowThreshold: Duration
  private let isReliable: Bool
  /// How many groups still go file by file. Locked during a sync: if two ran at once, only one of them would
  /// get an error.
  private let resting = Mutex(0)
  private let failed = Atomic(0)

  /// How many groups have failed so far. Does not wait for a sync that is running.
  var failures: Int { failed.load(ordering: .acquiring) }

  /// - Parameter isReliable: whether the kernel reports all errors: since Linux 5.8 (syncfs(2)).
  init(slowThreshold: Duration = .milliseconds(500), isReliable: Bool = file_system_sync_is_reliable()) {
    (self.slowThreshold, self.isReliable) = (slowThreshold, isReliable)
  }

  /// Blocks on the disk.
  /// - Parameter failures: the value of `failures` when the first file was made. If a sync has failed since, its
  ///   error may concern these files, and the kernel does not report it again.
  /// - Returns: whether all files are durable. If not, sync each by itself, which also shows why.
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
      left = rest(after: .now - start)
      return true
    }
  }

  /// How many groups go file by file after one that took `time`. The slower it was, the more, because payloads lose
  /// their media while it holds them up beyond their deadline.
  func rest(after time: Duration) -> Int {
    time > slowThreshold ? Self.rest * Int(min(time / slowThreshold, 100)) : 0
  }
}
