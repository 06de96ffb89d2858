internal import Glibc

/// A file descriptor that closes itself with its last owner.
final class Descriptor: Sendable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }
}
