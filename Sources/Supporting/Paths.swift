internal import Glibc

/// `path` from the root on, without links, `.` and `..` (realpath(3)).
/// - Returns: nil when it does not exist or may not be looked at; `errno` says why.
package func realPath(of path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}

extension String {
  /// The directory of the file with this path: what stands before its last slash.
  package var parentDirectory: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}

extension mode_t {
  /// Whether it is that of a file with bytes of its own: not of a directory, a device, a pipe or a socket
  /// (inode(7)).
  ///
  /// Of `st_mode`, not of `stat`: that type is also one of CLinux, where a file imports both.
  package var isRegularFile: Bool { self & S_IFMT == S_IFREG }
}
