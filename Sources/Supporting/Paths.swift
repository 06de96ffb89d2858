internal import Glibc

/// The absolute path of a file, without links (realpath(3)). Nil on a failure; `errno` says why.
package func realPath(of path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}

extension String {
  /// The directory of the file with this path.
  package var parentDirectory: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}

extension mode_t {
  /// Whether this is the mode of a regular file (inode(7)).
  // Not a member of `stat`, because files that import CLinux as well have two types of that name.
  package var isRegularFile: Bool { self & S_IFMT == S_IFREG }
}
