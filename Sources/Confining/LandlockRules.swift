internal import CLinux
internal import Glibc

/// A Landlock ruleset (landlock(7)): the files, directories and TCP ports a process may still use.
struct LandlockRules: ~Copyable {
  /// The first version with rules for TCP ports.
  static let versionOfPorts = 4

  private let descriptor: Int32
  private let known: FileRights

  /// Restricts this thread, and those it starts from now on, to `paths` and the ports of `needs`.
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
    guard landlock_restrict(rules.descriptor) == 0 else { throw ConfiningError(errno) }
    return places
  }

  /// `LANDLOCK_ACCESS_NET_BIND_TCP` and `LANDLOCK_ACCESS_NET_CONNECT_TCP`.
  private static let (binding, connecting): (UInt64, UInt64) = (1 << 0, 1 << 1)

  private init(version: Int) throws(ConfiningError) {
    known = FileRights.known(to: version)
    // The scopes put abstract sockets (1) and signals (2) of other processes out of reach.
    let rights = landlock_rights(
      files: known.rawValue, network: version >= Self.versionOfPorts ? Self.binding | Self.connecting : 0,
      scopes: version >= 6 ? 1 | 2 : 0)
    descriptor = unsafe withUnsafePointer(to: rights) { unsafe landlock_make_rules($0) }
    guard descriptor >= 0 else { throw ConfiningError(errno) }
  }

  deinit { close(descriptor) }

  /// Allows `rights` to `path` and everything below it while it is the same file or directory.
  /// - Returns: false if it does not exist.
  private func allow(_ rights: FileRights, to path: String) throws(ConfiningError) -> Bool {
    // O_PATH of open(2) needs no right to read, and does not wait for the other end of a FIFO.
    let place = unsafe open(path, 0o10_000_000 | O_CLOEXEC)
    guard place >= 0 else { return false }
    defer { close(place) }
    var status = stat()
    guard unsafe fstat(place, &status) == 0 else { return false }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    let possible = rights.intersection(known).intersection(isDirectory ? known : .ofFiles)
    guard !possible.isEmpty, landlock_allow(descriptor, place, possible.rawValue) != 0 else { return true }
    // A pipe is not in a directory, and needs no permission.
    guard errno == EBADFD else { throw ConfiningError(errno) }
    return true
  }

  private func allow(_ right: UInt64, toPorts ports: Set<Int>) throws(ConfiningError) {
    for port in ports where landlock_allow_port(descriptor, UInt64(port), right) != 0 {
      throw ConfiningError(errno)
    }
  }
}

/// What Landlock lets a process use.
package struct Places: Sendable, Equatable {
  /// The version of the kernel's Landlock.
  let version: Int
  /// How many files and directories may be read.
  var read = 0
  /// How many directories may be written to.
  var writable = 0
  /// TCP ports to connect to. Nil if the kernel has no rules for ports.
  var connectPorts: [Int]?
  var listenPorts: [Int] = []

  /// In words, for the log.
  var inForce: [String] {
    var parts = ["files (Landlock \(version): \(read) to read, \(writable) to write)"]
    if let connectPorts {
      let listening = listenPorts.isEmpty ? "" : "; listening on \(Self.list(listenPorts))"
      parts.append("TCP ports (\(Self.list(connectPorts))\(listening))")
    }
    return parts
  }

  /// What this version of Landlock lacks, in words.
  var missing: [String] {
    [
      ("files that may only be read can be emptied", 3), ("TCP ports", LandlockRules.versionOfPorts),
    ].filter { version < $1 }.map { "\($0) (needs Landlock \($1), this kernel has \(version))" }
  }

  private static func list(_ ports: [Int]) -> String { ports.map { "\($0)" }.joined(separator: ", ") }
}
