package import Glibc

/// Why a file is not safe for a secret.
package enum FileExposure: Error, Equatable, Sendable {
  /// Users other than its owner may read or write it. `mode` is as in chmod(1).
  case open(mode: UInt32)
  /// Its owner, who may change it, is neither the user of the process nor root.
  case foreign(owner: UInt32)

  /// Returns nil if only its owner has access. A group may read a file of root's: that is how
  /// Kubernetes hands out secrets (`fsGroup`), even to containers that run as root.
  package init?(_ status: stat) {
    // Root has chosen the group, and nobody in it can change the file or its mode.
    let isLent = status.st_uid == 0
    if status.st_mode & (isLent ? 0o037 : 0o077) != 0 {
      self = .open(mode: status.st_mode & 0o7777)
    } else if status.st_uid != geteuid(), status.st_uid != 0 {
      self = .foreign(owner: status.st_uid)
    } else {
      return nil
    }
  }

  /// Checks an open file or pipe. Nil for a device such as a terminal, which keeps no secret.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, [S_IFREG, S_IFIFO].contains(status.st_mode & S_IFMT) else {
      return nil
    }
    self.init(status)
  }

  /// What is wrong, and what to do about it.
  package func advice(on path: String) -> String {
    switch self {
    case .open(let mode):
      "users other than its owner have access (mode \(String(mode, radix: 8))): chmod 600 \(path.shellQuoted), or in Kubernetes defaultMode: 0400 for the secret, and fsGroup in the pod's securityContext"
    case .foreign(let owner):
      "it belongs to user \(owner), but must belong to the user of this process or to root"
    }
  }

  /// Names the files that others may read or write, and how to fix that. Nil if there are none.
  package static func warning(on paths: [String]) -> String? { warning(on: paths, S_IFREG, mending: "600") }

  /// Says the same about a directory.
  package static func directoryWarning(on path: String) -> String? {
    warning(on: [path], S_IFDIR, mending: "700")
  }

  private static func warning(on paths: [String], _ type: mode_t, mending mode: String) -> String? {
    let open = paths.filter { openMode(of: $0, type) != nil }
    guard let found = open.first.flatMap({ openMode(of: $0, type) }) else { return nil }
    let names = open.map(\.shellQuoted)
    return "users other than the owner have access to \(names.joined(separator: ", ")) (mode \(found)): "
      + "chmod \(mode) \(names.joined(separator: " "))"
  }

  /// Warns about the directory of `path` if every user may put files there.
  package static func placeWarning(on path: String) -> String? {
    openMode(of: path.parentDirectory, S_IFDIR, 0o002).map {
      "every user may put files into the directory of \(path.shellQuoted) (mode \($0)): "
        + "move it to a directory of its own, with mode 700"
    }
  }

  /// The mode as in chmod(1). Nil if `path` has none of these `rights` or is not of this type.
  private static func openMode(of path: String, _ type: mode_t, _ rights: mode_t = 0o077) -> String? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == type else { return nil }
    return status.st_mode & rights == 0 ? nil : String(status.st_mode & 0o7777, radix: 8)
  }
}

extension String {
  /// The text as one word of a shell command.
  package var shellQuoted: String {
    let isWord = utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "/._-+,:@%=".utf8.contains($0) }
    return isWord && !isEmpty ? self : "'\(replacing("'", with: #"'\''"#))'"
  }
}
