// If CLinux is loaded before Glibc, the members of `stat` belong to CLinux.
internal import CLinux
internal import Glibc

/// A complete spool, with its future name. Vanishes with its last copy unless a store keeps it.
package struct SpooledFile: Sendable {
  let descriptor: Descriptor
  package let stored: StoredFile

  /// Reads the content from `offset` on, for a store on another machine.
  /// - Returns: how many bytes were read: 0 at the end or on an error.
  package func read(at offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    descriptor.read(at: offset, into: &buffer)
  }
}

/// The descriptor of a spool's file. It is closed when its last owner is gone.
final class Descriptor: Sendable {
  let number: Int32
  /// `GroupSync.failures` when the file was made.
  let failures: Int

  init(_ number: Int32, failures: Int) { (self.number, self.failures) = (number, failures) }
  deinit { close(number) }

  /// - Returns: how many bytes of both were written, or -1 with `errno` on an error.
  func write(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Int {
    unsafe first.withUnsafeBytes { first in
      unsafe second.withUnsafeBytes { second in
        // The kernel only reads from them.
        let parts: InlineArray<2, iovec> = unsafe [
          iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
          iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count),
        ]
        return unsafe parts.span.withUnsafeBufferPointer { unsafe writev(number, $0.baseAddress, 2) }
      }
    }
  }

  func read(at offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    unsafe buffer.withUnsafeMutableBytes {
      max(0, unsafe pread(number, $0.baseAddress, $0.count, off_t(offset)))
    }
  }
}

/// The stat(2) of an open file.
func fileStatus(of file: Int32) -> stat? {
  var status = stat()
  return unsafe fstat(file, &status) == 0 ? status : nil
}
