internal import Glibc

/// The absolute path of a file, without links (realpath(3)). Returns nil if that fails; `errno` says why.
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
  /// Whether it is that of a file with bytes of its own (inode(7)).
  // Not a member of `stat`: files that import CLinux, too, have two types of that name.
  package var isRegularFile: Bool { self & S_IFMT == S_IFREG }
}
