package import Glibc

/// Shows whether a file has been replaced or changed.
package struct FileStamp: Equatable, Sendable {
  private let device, inode: UInt
  private let size: Int
  /// The last change of the inode (ctime), in nanoseconds since 1970. No program can set it.
  private let changed: Int

  package init(_ status: stat) {
    (device, inode, size) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size))
    changed = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
  }

  package init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Whether any later change would show. File times advance in steps of a few milliseconds.
  package var isSettled: Bool { WallClock.nanoseconds - changed > 1_000_000_000 }
}
