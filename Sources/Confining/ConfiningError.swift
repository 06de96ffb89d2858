internal import Glibc
internal import Supporting

/// Why a part of the sandbox is not there.
package enum ConfiningError: Error, Equatable {
  /// The kernel has no such thing, or it is switched off.
  case unsupported
  /// The kernel has it and says no; `code` as in `errno(3)`.
  case refused(code: Int32)

  init(_ code: Int32) {
    // What surrounds a container answers EPERM for what it does not know.
    self = [ENOSYS, EOPNOTSUPP, EINVAL, EPERM].contains(code) ? .unsupported : .refused(code: code)
  }
}

extension ConfiningError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unsupported: "this kernel does not have it, or what surrounds the process forbids it"
    case .refused(let code): String(errno: code)
    }
  }
}
