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

  /// A file that is not replaced while the process runs, or a directory with all below it.
  package mutating func addReadable(_ path: String) { read.append(path) }

  /// A file that may be replaced while the process runs, by a new file of its name or by a changed link. The
  /// kernel's permission belongs to the file, not to its name, so the directory is allowed instead: that of
  /// the link, and that of the file.
  package mutating func addReplaceable(_ path: String) {
    read.append(Self.parent(of: path))
    if let target = realPath(of: path) { read.append(Self.parent(of: target)) }
  }

  /// A directory that the process writes files into. If it is missing, it may be made later, in its parent.
  package mutating func addWritable(_ path: String) {
    writable.append(path)
    if unsafe access(path, F_OK) != 0 { creatable.append(Self.parent(of: path)) }
  }

  /// The directory of a file that the process writes, with others beside it, as a database does.
  package mutating func addWritable(directoryOf path: String) {
    writable.append(Self.parent(of: realPath(of: path) ?? path))
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
      if let value = unsafe getenv(name) { paths.append(unsafe String(cString: value)) }
    }
    return paths
  }
}
