internal import CLinux
internal import Glibc

/// A Landlock ruleset: the files and directories that a process may go on using. Closes itself.
struct FileRules: ~Copyable {
  /// Signals go to this process only (`LANDLOCK_SCOPE_SIGNAL`, from version 6 on), and so do connections to
  /// abstract sockets.
  private static let scopes: UInt64 = 0b11

  private let descriptor: Int32
  private let known: FileRights

  /// - Parameter version: that of the kernel.
  /// - Throws: `ConfiningError`.
  init(version: Int) throws(ConfiningError) {
    known = FileRights.known(to: version)
    let rights = landlock_rights(
      files: known.rawValue, network: 0, scopes: version >= 6 ? Self.scopes : 0)
    descriptor = unsafe withUnsafePointer(to: rights) { unsafe landlock_make_rules($0) }
    guard descriptor >= 0 else { throw ConfiningError(errno) }
  }

  deinit { close(descriptor) }

  /// Allows `rights` to `path`, with all below it, for as long as it is the same file or directory. What does
  /// not exist is passed over.
  /// - Throws: `ConfiningError`.
  func allow(_ rights: FileRights, to path: String) throws(ConfiningError) {
    // As a handle only (open(2)): it needs no right to read, and does not wait for the other end of a FIFO.
    let handle: Int32 = 0o10_000_000
    let place = unsafe open(path, handle | O_CLOEXEC)
    guard place >= 0 else { return }
    defer { close(place) }
    var status = stat()
    guard unsafe fstat(place, &status) == 0 else { return }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    let possible = rights.intersection(known).intersection(isDirectory ? known : .ofFiles)
    guard !possible.isEmpty, landlock_allow(descriptor, place, possible.rawValue) != 0 else { return }
    // A pipe, which has no place in any directory, needs no leave either.
    guard errno == EBADFD else { throw ConfiningError(errno) }
  }

  /// Forbids everything else to this thread, and to all that it starts from now on, for good.
  /// - Throws: `ConfiningError`.
  func enforce() throws(ConfiningError) {
    guard landlock_restrict(descriptor) == 0 else { throw ConfiningError(errno) }
  }
}

extension FileRules {
  /// Restricts this thread to `paths`.
  /// - Returns: the version of Landlock that does it.
  /// - Throws: `ConfiningError`.
  static func enforce(_ paths: AllowedPaths) throws(ConfiningError) -> Int {
    let version = Int(landlock_version())
    guard version > 0 else { throw ConfiningError(errno) }
    let rules = try FileRules(version: version)
    for path in paths.read { try rules.allow(.reading, to: path) }
    try rules.allow(.writeFile, to: "/dev/null")
    for path in paths.writable { try rules.allow(.keeping, to: path) }
    for path in paths.creatable { try rules.allow(FileRights.keeping.union(.makeDirectory), to: path) }
    try rules.enforce()
    return version
  }
}
