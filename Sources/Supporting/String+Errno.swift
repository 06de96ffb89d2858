internal import Glibc

extension String {
  /// What `strerror(3)` says about an error number.
  package init(errno code: Int32) { unsafe self.init(cString: strerror(code)) }
}
