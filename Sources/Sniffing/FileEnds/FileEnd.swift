/// What a file says about its own end. Most formats show whether the file was cut.
package enum FileEnd: Sendable {
  /// The file ends exactly where it says.
  case shown
  /// Bytes are missing, or there are too many.
  case missing
  /// The format does not show its end (MP3, MPEG), or iOS does not accept it.
  case unknown

  /// Looks for the end of a complete file. Reads all of a JPEG or GIF, and the lengths in others.
  /// - Parameter read: fills the span with bytes from the offset on, and returns how many.
  package static func examine(
    size: Int, read: (_ offset: Int, _ into: inout MutableSpan<UInt8>) -> Int
  ) -> FileEnd {
    withoutActuallyEscaping(read) { read in
      // Large windows keep the number of reads low.
      var file = Body(available: size, isComplete: true, windowSize: Body.headSize, read: read)
      guard let end = try? end(of: &file) else { return .unknown }
      return end == size ? .shown : .missing
    }
  }

  /// Returns where the file says it ends, -1 if it is too short to say, or nil for other formats.
  private static func end(of file: inout Body) throws(Shortage) -> Int? {
    guard try file.reaches(4, at: 0) else { return nil }
    for (start, offset, find) in rows where try file.has(start, at: offset) { return try find(&file) ?? -1 }
    return nil
  }

  private static let rows: [([UInt8], Int, @Sendable (inout Body) throws(Shortage) -> Int?)] = [
    (Array("GIF8".utf8), 0, GIFEnd.find),
    (Array("RIFF".utf8), 0, ChunkFileEnd.find),
    (Array("FORM".utf8), 0, ChunkFileEnd.find),
    (Array("RF64".utf8), 0, RF64End.find),
    ([0xff, 0xd8, 0xff], 0, JPEGEnd.find),
    ([0x89, 0x50, 0x4e, 0x47], 0, PNGEnd.find),
    (Array("ftyp".utf8), 4, MovieEnd.find),
    // Free space before the file type.
    (Array("free".utf8), 4, MovieEnd.find),
    (Array("skip".utf8), 4, MovieEnd.find),
    (Array("wide".utf8), 4, MovieEnd.find),
  ]
}
