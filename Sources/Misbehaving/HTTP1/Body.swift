internal import NIOCore
internal import Supporting

/// The body of a `Response`: some bytes, perhaps followed by zeros, which take no memory.
package struct Body: Hashable, Sendable, CustomStringConvertible {
  private let first: [UInt8]
  let length: Int

  package static func bytes(_ bytes: [UInt8]) -> Body { Body(first: bytes, length: bytes.count) }
  /// The bytes of a file, or no bytes if it cannot be read.
  package static func file(_ path: String) -> Body { .bytes(FileBytes.read(path: path, maximum: .max) ?? []) }

  /// `first`, followed by zeros up to `length` bytes in all.
  package static func padded(first: [UInt8], length: Int) -> Body {
    Body(first: first, length: max(first.count, length))
  }

  /// Calls `body` with the first `limit` bytes, in pieces of at most `size` bytes.
  func forEachPiece(
    of size: Int = 65_536, limit: Int = .max, _ body: (ByteBuffer) async throws -> Void
  ) async throws {
    var left = min(limit, length)
    var rest = ByteBuffer(bytes: first)
    let zeros = ByteBuffer(repeating: 0, count: min(size, max(0, left - first.count)))
    while left > 0 {
      if rest.readableBytes == 0 { rest = zeros }
      guard let piece = rest.readSlice(length: min(size, left, rest.readableBytes)) else { return }
      left -= piece.readableBytes
      try await body(piece)
    }
  }

  /// Hashes only the length, because there may be many bytes.
  package func hash(into hasher: inout Hasher) { hasher.combine(length) }
  /// Short, because a failed expectation should not print a whole file.
  package var description: String { "\(length) bytes" }
}
