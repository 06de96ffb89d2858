internal import Glibc
internal import Supporting

/// Why a file could not be stored.
package enum StoreError: Error, Equatable, CustomStringConvertible {
  case directoryMissing(path: String)
  /// The name of the directory that was opened is now that of another one.
  case directoryReplaced(path: String)
  case notADirectory(path: String)
  case notWritable(path: String)
  case full(path: String)
  case unnamedFilesUnsupported(path: String)
  case linksUnsupported(path: String)
  /// The name of this content is that of something else, which the store has not made.
  case nameOccupied(path: String)
  case digestUnavailable
  case failed(operation: String, path: String, code: Int32)

  /// What the error of a system call means for the user.
  /// - Parameters:
  ///   - code: of errno(3).
  ///   - operation: what was being done, as a gerund.
  init(_ code: Int32, operation: String, path: String) {
    self =
      switch code {
      case ENOENT: .directoryMissing(path: path)
      case ENOTDIR: .notADirectory(path: path)
      case EACCES, EPERM, EROFS: .notWritable(path: path)
      case ENOSPC, EDQUOT, EFBIG: .full(path: path)
      case EOPNOTSUPP, EISDIR: .unnamedFilesUnsupported(path: path)
      default: .failed(operation: operation, path: path, code: code)
      }
  }

  package var description: String {
    switch self {
    case .directoryMissing(let path): "the store \(path) does not exist"
    case .directoryReplaced(let path): "the store \(path) is another directory than it was at the start"
    case .notADirectory(let path): "the store \(path) is not a directory"
    case .notWritable(let path): "the store \(path) cannot be written"
    case .full(let path): "the store \(path) is full"
    case .unnamedFilesUnsupported(let path):
      "the file system of the store \(path) has no unnamed files (O_TMPFILE)"
    case .linksUnsupported(let path):
      "the file system of the store \(path) gives unnamed files no names (linkat), or /proc is not there"
    case .nameOccupied(let path): "\(path) stands where this content belongs, and is no file"
    case .digestUnavailable: "OpenSSL could not compute a SHA-256, or computed a wrong one"
    case .failed(let operation, let path, let code):
      "\(operation) failed in the store \(path): \(String(errno: code))"
    }
  }

  /// Whether only this content cannot be stored, and others can.
  package var concernsOneFile: Bool { if case .nameOccupied = self { true } else { false } }

  /// What to do about it.
  package var advice: String {
    switch self {
    case .directoryMissing: "create it, or name another with --store"
    case .directoryReplaced: "start push-enricher again"
    case .notADirectory: "name a directory with --store"
    case .notWritable: "give this user the right to write there, or name another with --store"
    case .full: "free space, or raise the quota"
    case .unnamedFilesUnsupported: "use ext4, xfs, btrfs or tmpfs"
    case .linksUnsupported: "use ext4, xfs, btrfs or tmpfs, with /proc mounted"
    case .nameOccupied: "remove it"
    case .digestUnavailable: "check its installation"
    case .failed(_, _, EMFILE), .failed(_, _, ENFILE):
      "allow more open files (ulimit -n, LimitNOFILE= in systemd)"
    case .failed: "see to the disk"
    }
  }
}
