internal import Glibc
internal import Supporting

/// What is different about a file when somebody has written it anew.
struct FileStamp: Equatable, Sendable {
  let device: UInt
  let inode: UInt
  let size: Int
  /// In nanoseconds since 1970. The content's time can be set by whoever writes it; that of the change cannot.
  let changed: Int

  init(_ status: stat) {
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    changed = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
  }

  /// - Returns: nil when there is no such file, or none that can be looked at.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Whether a change since then would show: the kernel's clock of files goes in steps of some milliseconds.
  var isSettled: Bool {
    WallClock.nanoseconds - changed > 1_000_000_000
  }
}
