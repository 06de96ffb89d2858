package import Glibc

/// Why a file is no place for a secret.
package enum FileExposure: Error, Equatable, Sendable {
  /// Others than its owner may read or write it; `mode` as in chmod(1).
  case open(mode: UInt32)
  /// It belongs to this user, who is neither the one of the process nor root, and may change it.
  case foreign(owner: UInt32)

  /// - Returns: nil if only its owner has access. A group may read a file of root's: Kubernetes hands out
  ///   secrets like that (`fsGroup`), also to containers that run as root.
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

  /// The same of an open file or pipe. Nil for a device such as a terminal, which keeps no secret.
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
      "others than its owner have access (mode \(String(mode, radix: 8))): chmod 600 \(path.shellQuoted), or in Kubernetes defaultMode: 0400 for the secret, and fsGroup in the pod's securityContext"
    case .foreign(let owner):
      "it belongs to user \(owner), and has to belong to the user of this process or to root"
    }
  }

  /// Names those of `paths` that others may read or write, and the command that mends it. Nil if there are
  /// none. Changes nothing, because somebody may rely on the mode.
  package static func warning(on paths: [String]) -> String? {
    let open = paths.compactMap { path in openMode(of: path, S_IFREG).map { (path.shellQuoted, $0) } }
    guard let mode = open.first?.1 else { return nil }
    let names = open.map(\.0)
    return "others than the owner have access to \(names.joined(separator: ", ")) (mode \(mode)): "
      + "chmod 600 \(names.joined(separator: " "))"
  }

  /// The same about a directory.
  package static func directoryWarning(on path: String) -> String? {
    openMode(of: path, S_IFDIR).map {
      "others than the owner have access to \(path.shellQuoted) (mode \($0)): chmod 700 \(path.shellQuoted)"
    }
  }

  /// The same about the directory of `path`, if every user may put files there or replace it.
  package static func placeWarning(on path: String) -> String? {
    let directory = path.parentDirectory
    guard let mode = openMode(of: directory, S_IFDIR, 0o002) else { return nil }
    return "every user may put files into the directory of \(path.shellQuoted) (mode \(mode)): "
      + "move it to one of its own, with mode 700"
  }

  /// As in chmod(1); nil if `path` has none of these `rights`, or is no file of this type.
  private static func openMode(of path: String, _ type: mode_t, _ rights: mode_t = 0o077) -> String? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == type, status.st_mode & rights != 0
    else {
      return nil
    }
    return String(status.st_mode & 0o7777, radix: 8)
  }
}

extension String {
  /// As a word of a shell.
  private var isShellWord: Bool {
    !isEmpty && utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "/._-+,:@%=".utf8.contains($0) }
  }

  package var shellQuoted: String { isShellWord ? self : "'\(replacing("'", with: #"'\''"#))'" }
}
