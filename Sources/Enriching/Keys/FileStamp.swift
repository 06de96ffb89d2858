internal import Glibc
internal import Supporting

/// Tells whether a file has been replaced or changed.
struct FileStamp: Equatable, Sendable {
  let device: UInt
  let inode: UInt
  let size: Int
  /// The time of the last change of the inode (ctime), in nanoseconds since 1970. Unlike the modification
  /// time, it cannot be set by a program.
  let changed: Int

  init(_ status: stat) {
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    changed = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
  }

  /// - Returns: nil if there is no such file, or it cannot be examined.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Whether any later change would show: the kernel's clock for files advances in steps of some
  /// milliseconds.
  var isSettled: Bool {
    WallClock.nanoseconds - changed > 1_000_000_000
  }
}
