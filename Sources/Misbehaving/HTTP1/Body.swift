internal import NIOCore

/// What a `Response` carries. Never held in memory as a whole unless it is there already.
package enum Body: Hashable, Sendable {
  /// These bytes.
  case bytes([UInt8])
  /// What the file at this path holds at the time of the request.
  case file(String)
  /// `first`, followed by zero bytes up to `length` bytes in all: a file that is larger than it is worth
  /// storing.
  case padded(first: [UInt8], length: Int)

  /// Bytes in the body.
  func length() throws -> Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .file(let path): try BodyFile(path).length()
    case .padded(let first, let length): max(first.count, length)
    }
  }

  /// Hands out the first `limit` bytes in pieces of at most `size`, one after another.
  func forEachPiece(
    of size: Int = 65_536, limit: Int = .max, _ body: (ByteBuffer) async throws -> Void
  ) async throws {
    var left = min(limit, try length())
    switch self {
    case .bytes(let bytes):
      try await Self.cut(ByteBuffer(bytes: bytes), into: size, left: &left, body)
    case .file(let path):
      let file = try BodyFile(path)
      while left > 0 {
        let piece = try file.read(atMost: min(size, left))
        if piece.isEmpty { break }
        left -= piece.count
        try await body(ByteBuffer(bytes: piece))
      }
    case .padded(let first, _):
      try await Self.cut(ByteBuffer(bytes: first), into: size, left: &left, body)
      let zeros = ByteBuffer(repeating: 0, count: min(size, left))
      while left > 0 {
        try await Self.cut(zeros, into: size, left: &left, body)
      }
    }
  }

  private static func cut(
    _ buffer: ByteBuffer, into size: Int, left: inout Int, _ body: (ByteBuffer) async throws -> Void
  ) async throws {
    var rest = buffer
    while left > 0, let piece = rest.readSlice(length: min(size, left, rest.readableBytes)),
      piece.readableBytes > 0
    {
      left -= piece.readableBytes
      try await body(piece)
    }
  }
}

extension Body: CustomStringConvertible {
  /// Short: a failed expectation should not print a whole file.
  package var description: String {
    switch self {
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .file(let path): path
    case .padded(let first, let length): "\(first.count) bytes padded to \(length)"
    }
  }
}
