internal import Supporting

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
