internal import Glibc
internal import Supporting

/// Why a file could not be stored.
package enum StoreError: Error, Equatable, CustomStringConvertible {
  case directoryMissing(path: String)
  /// Its path now leads to another directory.
  case directoryReplaced(path: String)
  case notADirectory(path: String)
  case notWritable(path: String)
  /// It is missing, and this user may not create it in `parent`.
  case notCreatable(path: String, parent: String)
  case full(path: String)
  case unnamedFilesUnsupported(path: String)
  case linksUnsupported(path: String)
  /// Something that the store did not make has the name for this content.
  case nameOccupied(path: String)
  case digestUnavailable
  case failed(operation: String, path: String, code: Int32)
  /// An error of another kind of store, in its own words.
  case other(String, advice: String, extent: Extent)

  /// What else cannot be stored.
  package enum Extent: Sendable {
    case oneFile
    /// Nothing can be stored now, but perhaps later.
    case forNow
    /// Nothing can be stored until the operator acts.
    case lasting
  }

  /// - Parameter operation: what failed, as a gerund.
  package init(_ code: Int32, operation: String, path: String) {
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

  package var description: String { row.description }
  /// What to do about it.
  package var advice: String { row.advice }
  package var extent: Extent { row.extent }

  private var row: (description: String, advice: String, extent: Extent) {
    switch self {
    case .directoryMissing(let path):
      (
        "the directory \(path) does not exist",
        "create it, or name another with --store (--spool for a bucket)", .lasting
      )
    case .directoryReplaced(let path):
      (
        "\(path) is not the directory that it was at the start", "restart push-enricher",
        .lasting
      )
    case .notADirectory(let path):
      ("\(path) is not a directory", "name a directory with --store (--spool for a bucket)", .lasting)
    case .notWritable(let path):
      (
        "the directory \(path) cannot be written",
        "give this user the right to write there, or name another with --store (--spool for a bucket)",
        .lasting
      )
    case .notCreatable(let path, let parent):
      (
        "the directory \(path) cannot be created in \(parent)",
        "give this user the right to write there, or name another directory with --store", .lasting
      )
    case .full(let path): ("the directory \(path) is full", "free space, or raise the quota", .forNow)
    case .unnamedFilesUnsupported(let path):
      (
        "the file system of \(path) has no unnamed files (O_TMPFILE)",
        "use ext4, xfs, btrfs or tmpfs", .lasting
      )
    case .linksUnsupported(let path):
      (
        "the file system of \(path) cannot name unnamed files (linkat), or /proc is not there",
        "use ext4, xfs, btrfs or tmpfs, with /proc mounted", .lasting
      )
    case .nameOccupied(let path):
      ("\(path) has the name of this content, but is not a file", "remove it", .oneFile)
    case .digestUnavailable:
      ("OpenSSL could not compute a SHA-256, or computed a wrong one", "check its installation", .lasting)
    case .failed(let operation, let path, let code):
      (
        "\(operation) failed in \(path): \(String(errno: code))",
        code == EMFILE || code == ENFILE
          ? "allow more open files (ulimit -n, LimitNOFILE= in systemd)" : "check the disk", .forNow
      )
    case .other(let description, let advice, let extent): (description, advice, extent)
    }
  }
}
