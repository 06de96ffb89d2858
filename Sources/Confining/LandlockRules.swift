internal import CLinux
internal import Glibc

/// A Landlock ruleset (landlock(7)): the files, directories and TCP ports that a process may go on using.
/// Closes itself.
struct LandlockRules: ~Copyable {
  /// The version from which on a file that may only be read cannot be emptied.
  static let versionOfTruncation = 3
  /// The version from which on there are rules for TCP ports.
  static let versionOfPorts = 4
  /// The version from which on abstract sockets and signals of other processes can be put out of reach.
  private static let versionOfScopes = 6

  /// `LANDLOCK_ACCESS_NET_BIND_TCP` and `LANDLOCK_ACCESS_NET_CONNECT_TCP`.
  private static let (binding, connecting): (UInt64, UInt64) = (1 << 0, 1 << 1)
  /// `LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET` and `LANDLOCK_SCOPE_SIGNAL`.
  private static let scopes: UInt64 = 0b11

  private let descriptor: Int32
  private let known: FileRights

  /// - Parameter version: that of the kernel.
  /// - Throws: `ConfiningError`.
  init(version: Int) throws(ConfiningError) {
    known = FileRights.known(to: version)
    let rights = landlock_rights(
      files: known.rawValue,
      network: version >= Self.versionOfPorts ? Self.binding | Self.connecting : 0,
      scopes: version >= Self.versionOfScopes ? Self.scopes : 0)
    descriptor = unsafe withUnsafePointer(to: rights) { unsafe landlock_make_rules($0) }
    guard descriptor >= 0 else { throw ConfiningError(errno) }
  }

  deinit { close(descriptor) }

  /// Allows `rights` to `path`, with all below it, for as long as it is the same file or directory.
  /// - Returns: false if it does not exist, and nothing is allowed.
  /// - Throws: `ConfiningError`.
  func allow(_ rights: FileRights, to path: String) throws(ConfiningError) -> Bool {
    // As a handle only (open(2)): it needs no right to read, and does not wait for the other end of a FIFO.
    let handle: Int32 = 0o10_000_000
    let place = unsafe open(path, handle | O_CLOEXEC)
    guard place >= 0 else { return false }
    defer { close(place) }
    var status = stat()
    guard unsafe fstat(place, &status) == 0 else { return false }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    let possible = rights.intersection(known).intersection(isDirectory ? known : .ofFiles)
    guard !possible.isEmpty, landlock_allow(descriptor, place, possible.rawValue) != 0 else { return true }
    // A pipe, which has no place in any directory, needs no leave either.
    guard errno == EBADFD else { throw ConfiningError(errno) }
    return true
  }

  private func allow(_ right: UInt64, toPorts ports: Set<Int>) throws(ConfiningError) {
    for port in ports where landlock_allow_port(descriptor, UInt64(port), right) != 0 {
      throw ConfiningError(errno)
    }
  }

  /// Forbids everything else to this thread, and to all that it starts from now on, for good.
  /// - Throws: `ConfiningError`.
  func enforce() throws(ConfiningError) {
    guard landlock_restrict(descriptor) == 0 else { throw ConfiningError(errno) }
  }
}

extension LandlockRules {
  /// Restricts this thread to `paths` and to the ports of `needs`.
  /// - Throws: `ConfiningError`.
  static func enforce(_ needs: Needs, _ paths: AllowedPaths) throws(ConfiningError) -> Places {
    let version = Int(landlock_version())
    guard version > 0 else { throw ConfiningError(errno) }
    let rules = try LandlockRules(version: version)
    var places = Places(version: version)
    for path in paths.read where try rules.allow(.reading, to: path) { places.read += 1 }
    _ = try rules.allow(.writeFile, to: "/dev/null")
    for path in paths.writable where try rules.allow(.keeping, to: path) { places.writable += 1 }
    for path in paths.creatable where try rules.allow(FileRights.keeping.union(.makeDirectory), to: path) {
      places.writable += 1
    }
    if version >= versionOfPorts {
      try rules.allow(connecting, toPorts: needs.connectPorts)
      try rules.allow(binding, toPorts: needs.listenPorts)
      places.connectPorts = needs.connectPorts.sorted()
      places.listenPorts = needs.listenPorts.sorted()
    }
    try rules.enforce()
    return places
  }
}

/// What may be done with files: the rights that landlock(7) knows, under its names (`LANDLOCK_ACCESS_FS_…`).
struct FileRights: OptionSet, Sendable {
  let rawValue: UInt64

  static let execute = FileRights(rawValue: 1 << 0)
  static let writeFile = FileRights(rawValue: 1 << 1)
  static let readFile = FileRights(rawValue: 1 << 2)
  static let readDirectory = FileRights(rawValue: 1 << 3)
  static let removeFile = FileRights(rawValue: 1 << 5)
  static let makeDirectory = FileRights(rawValue: 1 << 7)
  static let makeFile = FileRights(rawValue: 1 << 8)
  static let truncate = FileRights(rawValue: 1 << 14)

  static let reading: FileRights = [.readFile, .readDirectory]
  /// To make files, write them and take them away.
  static let keeping: FileRights = [.readFile, .readDirectory, .writeFile, .makeFile, .removeFile, .truncate]

  /// Those that can be given for a file; the others belong to directories.
  static let ofFiles: FileRights = [.execute, .writeFile, .readFile, .truncate]

  /// All that a version of Landlock knows, and so can forbid.
  static func known(to version: Int) -> FileRights {
    let highest =
      switch version {
      case ...1: 12
      // To move files between directories; to truncate; ioctl(2) on devices.
      case 2: 13
      case 3, 4: 14
      default: 15
      }
    return FileRights(rawValue: (1 << (highest + 1)) - 1)
  }
}
