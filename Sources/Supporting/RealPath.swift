internal import Glibc

/// `path` from the root on, without links, `.` and `..` (realpath(3)).
/// - Returns: nil when it does not exist or may not be looked at; `errno` says why.
package func realPath(of path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}
