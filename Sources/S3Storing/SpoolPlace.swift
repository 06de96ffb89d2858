internal import CLinux
internal import Glibc
internal import Storing
internal import Supporting

/// The local directory in which media arrive before they are put into a bucket.
struct SpoolPlace: Sendable {
  let path: String
  /// Whether the operator has chosen it. If not, it belongs to this user and is only for this program.
  let isChosen: Bool

  /// - Parameter chosen: nil for the default, below `TMPDIR` or `/var/tmp`.
  init(_ chosen: String?, _ environment: [String: String]) {
    isChosen = chosen != nil
    let parent = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/var/tmp"
    path = chosen ?? "\(parent)/push-enricher-\(geteuid())"
  }

  func open(_ settings: StoreSettings) throws(StoreError) -> SpoolDirectory {
    if isChosen { return try SpoolDirectory(path: path, settings) }
    try make()
    let spools = try SpoolDirectory(path: path, settings)
    spools.keepFromCleaning()
    return spools
  }

  /// Makes the default directory. Anybody can make directories and links beside it, so one that belongs to
  /// another user is not used.
  private func make() throws(StoreError) {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
      let code = errno
      let extent = StoreError(code, operation: "making", path: path).extent
      throw .other(
        "the spool \(path) cannot be created: \(String(errno: code))",
        advice: extent == .lasting
          ? "name a directory that this user can write to with --spool" : "check the disk",
        extent: extent)
    }
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      status.st_mode & 0o022 == 0
    else {
      throw .other(
        "the spool \(path) is not a directory of this user's alone",
        advice: "remove it, or name another with --spool", extent: .lasting)
    }
  }

  /// A warning for the operator at the start. Nil if all is well.
  var warning: String? {
    let existing = unsafe access(path, F_OK) == 0 ? path : path.parentDirectory
    return unsafe is_in_memory(existing)
      ? "the spool \(path) is in memory (tmpfs), which large media fill: name a directory on a disk with --spool"
      : nil
  }
}
