internal import Glibc
internal import Supporting

/// The files that a process may use once it is confined. A path that is missing allows nothing.
package struct AllowedPaths: Sendable {
  /// Files to read, and directories to read with everything below them.
  package private(set) var read = AllowedPaths.system
  /// Directories in which files may be made, changed and removed.
  package private(set) var writable: [String] = []
  /// Directories in which a writable directory may be made.
  package private(set) var creatable: [String] = []

  package init() {}
  /// Adds a file that is not replaced while the process runs.
  package mutating func addReadable(_ path: String) { read.append(path) }

  package mutating func addReadable(directory: String) throws(WideDirectory) {
    if let wide = WideDirectory(directory) { throw wide }
    read.append(directory)
  }

  /// Adds a file that may be replaced while the process runs, by a new file or by a changed link.
  ///
  /// The kernel's permission belongs to the file, not to its name. So this allows the directories
  /// of the link and of the file. In a wide directory, it allows the file only: a new one needs a
  /// restart.
  package mutating func addReplaceable(_ path: String) {
    for file in [path, realPath(of: path)].compactMap(\.self) {
      let directory = Self.parent(of: file)
      read.append(WideDirectory(directory) == nil ? directory : file)
    }
  }

  /// Adds a directory that the process writes files into.
  /// - Parameter isMade: whether the process makes the directory when it is needed but missing.
  ///   This allows that in the parent, or makes the directory right away if the parent is wide.
  /// - Throws: `WideDirectory`, unless the directory keeps no files.
  package mutating func addWritable(_ path: String, isMade: Bool = false) throws(WideDirectory) {
    if isMade, unsafe access(path, F_OK) != 0 {
      let parent = Self.parent(of: path)
      if WideDirectory(parent) == nil {
        creatable.append(parent)
      } else {
        // For this user alone, as elsewhere. If this fails, it shows when the directory is needed.
        _ = unsafe mkdir(path, 0o700)
      }
    }
    if let wide = WideDirectory(path) {
      // Not allowed here: the code that tries to keep a file there says why that fails.
      if wide.keepsNoFiles { return }
      throw wide
    }
    writable.append(path)
  }

  /// Adds the directory of a file that the process writes, with files beside it, as for a database.
  package mutating func addWritable(directoryOf path: String) throws(WideDirectory) {
    var status = stat()
    // If the path leads to a directory, the code that opens it reports that.
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    try addWritable(Self.parent(of: realPath(of: path) ?? path))
  }

  private static func parent(of path: String) -> String {
    (path.hasSuffix("/") ? String(path.dropLast()) : path).parentDirectory
  }

  /// What libraries read while they run: glibc for host names, OpenSSL for settings and
  /// certificates, libmagic, and libdispatch and this program for the process, its processors and
  /// memory limit.
  private static var system: [String] {
    var paths = [
      // As a whole, because resolv.conf and hosts are replaced by new files.
      "/etc", "/usr", "/lib", "/lib64",
      // As a whole, because libdispatch ends the process if it cannot read /proc/TID/stat of a
      // thread. Landlock still hides the memory and environment of other processes.
      "/proc", "/sys/fs/cgroup", "/sys/devices/system/cpu", "/dev/null", "/dev/urandom",
    ]
    // If resolv.conf is a link, the file is replaced in the directory that the link leads to.
    if let target = realPath(of: "/etc/resolv.conf") { paths.append(parent(of: target)) }
    // In openSUSE, this is a link into /var/lib, which the sandbox would hide.
    if let target = realPath(of: "/etc/ssl/certs") { paths.append(target) }
    // From ossl-guide-libraries-introduction(7) and X509_get_default_cert_dir(3).
    for name in ["OPENSSL_CONF", "SSL_CERT_DIR", "SSL_CERT_FILE"] {
      guard let value = unsafe getenv(name) else { continue }
      let path = unsafe String(cString: value)
      if WideDirectory(path) == nil { paths.append(path) }
    }
    return paths
  }
}

/// A directory that also holds files of the system, other programs or people: too wide to allow.
package struct WideDirectory: Error, Equatable {
  package let path: String

  private static let others: Set = [
    "/", "/bin", "/boot", "/dev", "/dev/shm", "/etc", "/home", "/lib", "/lib64", "/opt", "/proc", "/root",
    "/run", "/run/lock", "/run/user", "/sbin", "/sys", "/tmp", "/usr", "/usr/bin", "/usr/lib", "/usr/local",
    "/usr/sbin", "/usr/share", "/var", "/var/cache", "/var/lib", "/var/log", "/var/spool", "/var/tmp",
  ]

  /// Whether it is one of the kernel's own file systems.
  var keepsNoFiles: Bool { ["/dev", "/proc", "/sys"].contains(path) }

  /// - Parameter path: in any spelling, and through any links.
  /// - Returns: nil if it leads to a directory that is not wide, to a file, or nowhere.
  init?(_ path: String) {
    guard let place = realPath(of: path),
      Self.others.contains(place) || ["/home", "/run/user"].contains(place.parentDirectory)
    else { return nil }
    self.path = place
  }
}
