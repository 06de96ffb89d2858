package import Glibc

extension stat {
  /// Whether it is a file with bytes of its own: not a directory, a device, a pipe or a socket.
  package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}
