internal import Glibc
internal import Supporting

/// The files that a process may use once it is confined. A path need not exist: a missing file is not needed.
package struct AllowedPaths: Sendable {
  /// Files to read, and directories to read with all below them.
  package private(set) var read = AllowedPaths.system
  /// Directories in which files are made, changed and removed.
  package private(set) var writable: [String] = []
  /// Directories in which a writable one may be made.
  package private(set) var creatable: [String] = []

  package init() {}

  /// A file that is not replaced while the process runs.
  package mutating func addReadable(_ path: String) { read.append(path) }

  /// A directory with everything below it.
  /// - Throws: `WideDirectory`.
  package mutating func addReadable(directory: String) throws(WideDirectory) {
    if let wide = WideDirectory(directory) { throw wide }
    read.append(directory)
  }

  /// A file that may be replaced while the process runs, by a new file of its name or by a changed link. The
  /// kernel's permission belongs to the file, not to its name, so the directory is allowed instead: that of
  /// the link, and that of the file. If that directory is a wide one, the file alone is allowed, and one that
  /// replaces it cannot be read before the next start.
  package mutating func addReplaceable(_ path: String) {
    for file in [path, realPath(of: path)].compactMap(\.self) {
      let directory = Self.parent(of: file)
      read.append(WideDirectory(directory) == nil ? directory : file)
    }
  }

  /// A directory that the process writes files into.
  /// - Parameter isMade: whether the process makes it when it needs it and it is missing. It does that in its
  ///   parent, or here and now if that is a wide directory.
  /// - Throws: `WideDirectory`, but not for one that keeps no files.
  package mutating func addWritable(_ path: String, isMade: Bool = false) throws(WideDirectory) {
    if isMade, unsafe access(path, F_OK) != 0 {
      let parent = Self.parent(of: path)
      if WideDirectory(parent) == nil {
        creatable.append(parent)
      } else {
        // For this user alone, as the process makes it elsewhere. Whether that has failed shows when it is
        // needed.
        _ = unsafe mkdir(path, 0o700)
      }
    }
    if let wide = WideDirectory(path) {
      // Not opened: whoever tries to keep a file there says why that does not work.
      if wide.keepsNoFiles { return }
      throw wide
    }
    writable.append(path)
  }

  /// The directory of a file that the process writes, with others beside it, as a database does.
  /// - Throws: `WideDirectory`.
  package mutating func addWritable(directoryOf path: String) throws(WideDirectory) {
    var status = stat()
    // A directory is no such file, and whoever opens it says so.
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    try addWritable(Self.parent(of: realPath(of: path) ?? path))
  }

  private static func parent(of path: String) -> String {
    (path.hasSuffix("/") ? String(path.dropLast()) : path).parentDirectory
  }
}

extension AllowedPaths {
  /// What libraries read while they run: the C library for names of hosts, OpenSSL for its settings and for
  /// certificates, libmagic, libdispatch and this program about the process itself, its processors and its
  /// memory limit.
  private static var system: [String] {
    var paths = [
      // As a whole: resolv.conf and hosts are replaced by new files there.
      "/etc", "/usr", "/lib", "/lib64",
      // As a whole: libdispatch reads /proc/TID/stat of each of its threads, and ends the process when it
      // cannot. What belongs to other processes alone, their memory and environment, Landlock keeps closed.
      "/proc",
      "/sys/fs/cgroup", "/sys/devices/system/cpu", "/dev/null", "/dev/urandom",
    ]
    // Where it is a link, the directory that it leads to: the file is replaced there.
    if let target = realPath(of: "/etc/resolv.conf") { paths.append(parent(of: target)) }
    // As ossl-guide-libraries-introduction(7) and X509_get_default_cert_dir(3) have them.
    for name in ["OPENSSL_CONF", "SSL_CERT_DIR", "SSL_CERT_FILE"] {
      guard let value = unsafe getenv(name) else { continue }
      let path = unsafe String(cString: value)
      if WideDirectory(path) == nil { paths.append(path) }
    }
    return paths
  }
}

/// A directory that also holds what belongs to others: to the system, to several programs, or to a person. A
/// sandbox that opens it with everything below it keeps nobody out.
package struct WideDirectory: Error, Equatable {
  package let path: String

  private static let others: Set = [
    "/", "/bin", "/boot", "/dev", "/dev/shm", "/etc", "/home", "/lib", "/lib64", "/opt",
    "/proc", "/root", "/run", "/run/lock", "/run/user", "/sbin", "/sys", "/tmp", "/usr", "/usr/bin",
    "/usr/lib", "/usr/local", "/usr/sbin", "/usr/share", "/var", "/var/cache", "/var/lib", "/var/log",
    "/var/spool", "/var/tmp",
  ]

  /// Each person has a directory in these.
  private static let ofPersons: Set = ["/home", "/run/user"]

  /// Whether it is one of the kernel's own file systems.
  var keepsNoFiles: Bool { ["/dev", "/proc", "/sys"].contains(path) }

  /// - Parameter path: in any spelling, and by whatever links.
  /// - Returns: nil if it leads to another directory, to a file, or nowhere.
  init?(_ path: String) {
    guard let place = realPath(of: path),
      Self.others.contains(place) || Self.ofPersons.contains(place.parentDirectory)
    else { return nil }
    self.path = place
  }
}
