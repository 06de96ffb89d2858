internal import Glibc

extension mode_t {
  /// Whether it is that of a file with bytes of its own: not of a directory, a device, a pipe or a socket
  /// (inode(7)).
  ///
  /// Of `st_mode`, not of `stat`: that type is also one of CLinux, where a file imports both.
  package var isRegularFile: Bool { self & S_IFMT == S_IFREG }
}
