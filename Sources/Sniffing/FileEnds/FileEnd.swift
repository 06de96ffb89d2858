/// What a file says about its own end: whether it was cut shows in most formats, but not in all.
package enum FileEnd: Sendable {
  /// The file ends exactly where it says that it does.
  case shown
  /// It does not: bytes are missing, or there are more.
  case missing
  /// Its format has no end of its own (MP3, MPEG), or is none that iOS takes.
  case unknown

  /// Looks for the end of a file that is complete as far as anybody knows. Reads all of a JPEG and a GIF, and
  /// the lengths in others.
  /// - Parameters:
  ///   - size: of the file, in bytes.
  ///   - read: fills the span with bytes from the offset on, and returns how many.
  package static func examine(
    size: Int, read: (_ offset: Int, _ into: inout MutableSpan<UInt8>) -> Int
  ) -> FileEnd {
    withoutActuallyEscaping(read) { read in
      // From the beginning to the end in as few calls as possible.
      var file = Body(available: size, isComplete: true, windowSize: Body.headSize, read: read)
      guard let end = try? end(of: &file) else { return .unknown }
      return end == size ? .shown : .missing
    }
  }

  /// - Returns: where the file says that it ends, or -1 if it does not get so far; nil for other formats.
  private static func end(of file: inout Body) throws(Shortage) -> Int? {
    guard try file.reaches(4, at: 0) else { return nil }
    for (start, offset, find) in rows where try file.has(start, at: offset) { return try find(&file) ?? -1 }
    return nil
  }

  /// How a file of a format begins, and where it says that it ends: nil if it does not get so far.
  private static let rows: [(start: [UInt8], offset: Int, find: Finder)] = [
    (Array("GIF8".utf8), 0, GIFEnd.find),
    (
      Array("RIFF".utf8), 0,
      { (file) throws(Shortage) in try ChunkFileEnd.find(in: &file, isLittleEndian: true) }
    ),
    (
      Array("FORM".utf8), 0,
      { (file) throws(Shortage) in try ChunkFileEnd.find(in: &file, isLittleEndian: false) }
    ),
    ([0xff, 0xd8, 0xff], 0, JPEGEnd.find),
    ([0x89, 0x50, 0x4e, 0x47], 0, PNGEnd.find),
    (Array("ftyp".utf8), 4, MovieEnd.find),
  ]

  private typealias Finder = @Sendable (inout Body) throws(Shortage) -> Int?
}
