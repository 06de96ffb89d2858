import Crypto
import Glibc
import NIOCore

/// A file that has no name until it is complete.
struct IncomingFile: ~Copyable {
  private static let headSize = 4_096

  /// The size in bytes.
  private(set) var size = 0
  /// The first bytes of the file, up to 4 KB.
  private(set) var head: [UInt8] = []
  private let descriptor: FileDescriptor
  private var digest = SHA256()

  init(in directory: String) throws(WorkError) {
    // O_TMPFILE is an expression in glibc's header, which Swift does not import.
    descriptor = try FileDescriptor(directory, __O_TMPFILE | O_DIRECTORY | O_RDWR)
  }

  mutating func write(_ piece: ByteBuffer) throws {
    try unsafe piece.withUnsafeReadableBytes { bytes in
      if head.count < Self.headSize { unsafe head += bytes.prefix(Self.headSize - head.count) }
      unsafe digest.update(bufferPointer: bytes)
      size += bytes.count
      guard unsafe Glibc.write(descriptor.value, bytes.baseAddress, bytes.count) == bytes.count else {
        throw WorkError.file(errno: errno)
      }
    }
  }

  /// - Parameter type: the media type, such as `image/jpeg`.
  consuming func finish(as type: String) -> FinishedFile {
    let digits = Array("0123456789abcdef".utf8)
    let name = digest.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    let subtype = type.split(separator: "/").last ?? ""
    return FinishedFile(
      descriptor: descriptor, name: "\(String(decoding: name, as: UTF8.self)).\(subtype)", size: size)
  }
}

/// A complete file, and the name for its content.
struct FinishedFile: Sendable {
  let descriptor: FileDescriptor
  let name: String
  /// The size in bytes.
  let size: Int
}

/// Closed when its last reference is released.
final class FileDescriptor: Sendable {
  let value: Int32

  init(_ path: String, _ flags: Int32) throws(WorkError) {
    value = unsafe open(path, flags | O_CLOEXEC, 0o644)
    guard value >= 0 else { throw .file(errno: errno) }
  }

  deinit { close(value) }
}
