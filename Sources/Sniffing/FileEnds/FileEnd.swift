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
      var file = FileWindow(size: size, read: read)
      guard let end = end(of: &file) else { return .unknown }
      return end == size ? .shown : .missing
    }
  }

  /// - Returns: where the file says that it ends, or -1 if it does not get so far; nil for other formats.
  private static func end(of file: inout FileWindow) -> Int? {
    guard let start = file.code(at: 0) else { return nil }
    switch start {
    case "GIF8": return GIFEnd.find(in: &file) ?? -1
    case "RIFF": return ChunkFileEnd.find(in: &file, isLittleEndian: true) ?? -1
    case "FORM": return ChunkFileEnd.find(in: &file, isLittleEndian: false) ?? -1
    case _ where start.number >> 8 == 0xff_d8ff: return JPEGEnd.find(in: &file) ?? -1
    case _ where start.number == 0x8950_4e47: return PNGEnd.find(in: &file) ?? -1
    case _ where file.code(at: 4) == "ftyp": return MovieEnd.find(in: &file) ?? -1
    default: return nil
    }
  }
}

/// A file of which 4 KB are in memory: read from its beginning to its end, it takes as few calls as possible.
struct FileWindow: ~Copyable {
  private static let windowSize = 4_096

  let size: Int
  private let read: (Int, inout MutableSpan<UInt8>) -> Int
  private var start = 0
  private var bytes: [UInt8] = []

  init(size: Int, read: @escaping (Int, inout MutableSpan<UInt8>) -> Int) {
    self.size = size
    self.read = read
  }

  /// Nil behind the end.
  mutating func byte(at offset: Int) -> UInt8? {
    guard load(offset) else { return nil }
    return bytes[offset - start]
  }

  /// Four bytes, most significant first; nil unless they are all there.
  mutating func number(at offset: Int) -> UInt32? {
    var number: UInt32 = 0
    for place in 0..<4 {
      guard let byte = byte(at: offset + place) else { return nil }
      number = number << 8 | UInt32(byte)
    }
    return number
  }

  mutating func code(at offset: Int) -> FourCharacterCode? {
    number(at: offset).map { FourCharacterCode(number: $0) }
  }

  /// Where `byte` stands first from `offset` on.
  mutating func firstIndex(of byte: UInt8, from offset: Int) -> Int? {
    var offset = offset
    while load(offset) {
      if let index = bytes[(offset - start)...].firstIndex(of: byte) { return start + index }
      offset = start + bytes.count
    }
    return nil
  }

  /// - Returns: whether the byte at `offset` is in memory now.
  private mutating func load(_ offset: Int) -> Bool {
    guard offset >= 0, offset < size else { return false }
    if offset >= start, offset - start < bytes.count { return true }
    var loaded = [UInt8](repeating: 0, count: min(Self.windowSize, size - offset))
    var span = loaded.mutableSpan
    let count = max(0, read(offset, &span))
    if count < loaded.count { loaded.removeLast(loaded.count - count) }
    start = offset
    bytes = loaded
    return !bytes.isEmpty
  }
}
