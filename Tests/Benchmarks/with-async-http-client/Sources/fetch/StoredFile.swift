import Crypto
import Glibc
import NIOCore

/// A file without a name, until all of it is there.
struct StoredFile: ~Copyable {
  private static let headSize = 4_096

  private let descriptor: Int32
  private let directory: String
  private var digest = SHA256()
  private var head: [UInt8] = []

  init(in directory: String) throws(FetchError) {
    // O_TMPFILE is an expression of glibc's that is not imported.
    descriptor = unsafe open(directory, __O_TMPFILE | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .file(errno: errno) }
    self.directory = directory
  }

  deinit { close(descriptor) }

  mutating func write(_ piece: ByteBuffer) throws {
    try unsafe piece.withUnsafeReadableBytes { bytes in
      if head.count < Self.headSize { unsafe head += bytes.prefix(Self.headSize - head.count) }
      unsafe digest.update(bufferPointer: bytes)
      guard unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count else {
        throw FetchError.file(errno: errno)
      }
    }
  }

  /// Gives it the name that its content deserves.
  consuming func keep(_ sniffer: Sniffer) throws(FetchError) {
    guard let type = sniffer.type(of: head) else { throw .type }
    let digits = Array("0123456789abcdef".utf8)
    let name = digest.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    let path = "\(directory)/\(String(decoding: name, as: UTF8.self)).\(type)"
    let unnamed = "/proc/self/fd/\(descriptor)"
    guard unsafe linkat(AT_FDCWD, unnamed, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
      throw .file(errno: errno)
    }
  }
}
