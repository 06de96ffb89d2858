internal import Glibc
internal import Supporting

/// The files that a process needs once it has started. A path need not exist: what does not is not needed.
package struct Places: Sendable {
  /// Files, and directories with all below them, that are read.
  package private(set) var read = Places.system
  /// Directories in which files are made, written and taken away.
  package private(set) var kept: [String] = []
  /// Directories in which one that is to be kept may be made.
  package private(set) var made: [String] = []

  package init() {}

  /// `path` alone, which stays the file that it is.
  package mutating func addFile(_ path: String) { read.append(path) }

  /// A file that somebody may replace while the process runs: by a new one of its name, or by turning the link that it is. What is
  /// allowed belongs to the file and not to its name, so it is the directory that is allowed: the one of the link, and that of the file.
  package mutating func addReplaceable(_ path: String) {
    read.append(Self.parent(of: path))
    if let target = realPath(of: path) { read.append(Self.parent(of: target)) }
  }

  /// A directory of files that are read.
  package mutating func addDirectory(_ path: String) { read.append(path) }

  /// A directory that the process keeps files in. Where it is missing, its parent may get it later, from this process or another.
  package mutating func addKept(_ path: String) {
    kept.append(path)
    if unsafe access(path, F_OK) != 0 { made.append(Self.parent(of: path)) }
  }

  /// The directory of a file that the process keeps, with others beside it.
  package mutating func addKept(directoryOf path: String) {
    kept.append(Self.parent(of: realPath(of: path) ?? path))
  }

  private static func parent(of path: String) -> String {
    let path = path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

extension Places {
  /// What libraries read while they run: the C library for names of hosts, OpenSSL for its settings and for certificates, libmagic,
  /// libdispatch and this program about the process itself, its processors and its memory limit.
  private static var system: [String] {
    var paths = [
      // As a whole: resolv.conf and hosts are replaced by new files there.
      "/etc", "/usr", "/lib", "/lib64",
      // As a whole: libdispatch reads /proc/TID/stat of each of its threads, and ends the process when it cannot. What belongs to
      // other processes alone, their memory and environment, Landlock keeps closed.
      "/proc",
      "/sys/fs/cgroup", "/sys/devices/system/cpu", "/dev/null", "/dev/urandom",
    ]
    // Where it is a link, it leads to where somebody replaces it.
    if let target = realPath(of: "/etc/resolv.conf") { paths.append(parent(of: target)) }
    // As ossl-guide-libraries-introduction(7) and X509_get_default_cert_dir(3) have them.
    for name in ["OPENSSL_CONF", "SSL_CERT_DIR", "SSL_CERT_FILE"] {
      if let value = unsafe getenv(name) { paths.append(unsafe String(cString: value)) }
    }
    return paths
  }
}
