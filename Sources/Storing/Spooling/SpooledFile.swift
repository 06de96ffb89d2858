// The members of `stat` belong to CLinux where that is loaded before Glibc.
internal import CLinux
internal import Glibc

/// A spool that has all of its content, and what a store is to call it. It vanishes with its last copy, unless a
/// store keeps it.
package struct SpooledFile: Sendable {
  let descriptor: Descriptor
  package let stored: StoredFile
  /// How many groups had failed when it was made: `GroupSync.failures`.
  let failures: Int

  /// Reads its content from `offset` on into `buffer`, for a store beyond this machine.
  /// - Returns: how many bytes were read: 0 at its end, or on an error.
  package func read(at offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    descriptor.read(at: offset, into: &buffer)
  }
}

/// A file descriptor that closes itself with its last owner.
final class Descriptor: Sendable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  func read(at offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    unsafe buffer.withUnsafeMutableBytes {
      max(0, unsafe pread(number, $0.baseAddress, $0.count, off_t(offset)))
    }
  }
}

/// What stat(2) says of an open file.
func fileStatus(of file: Int32) -> stat? {
  var status = stat()
  return unsafe fstat(file, &status) == 0 ? status : nil
}
