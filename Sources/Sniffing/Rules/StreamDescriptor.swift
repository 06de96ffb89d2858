/// The descriptor of a stream in MPEG-4, in a box of its sample entry (esds; ISO/IEC 14496-1, 7.2.6;
/// ISO/IEC 14496-14, 5.6).
enum StreamDescriptor {
  /// How the stream is encoded (ISO/IEC 14496-1, table 5; mp4ra.org). Nil if there is no descriptor.
  /// - Parameter fixedLength: the length of the fields before the entry's boxes, in bytes.
  static func objectType(
    in entry: Box, from fixedLength: Int, of file: inout Body
  ) throws(Shortage) -> UInt8? {
    var boxes = ChildBoxes(of: entry, from: entry.content + fixedLength)
    var boxesLeft = 16
    while let box = try boxes.next(in: &file, &boxesLeft) {
      guard box.type == "esds" else { continue }
      // The version and the flags come first.
      guard var offset = try content(of: 3, at: box.content + 4, in: &file),
        let flags = try file.byte(at: offset + 2)
      else { return nil }
      // The number, then what the flags announce: another number, a URL, a clock.
      offset += 3 + (flags & 0x80 == 0 ? 0 : 2)
      if flags & 0x40 != 0 { offset += 1 + Int(try file.byte(at: offset) ?? 0) }
      offset += flags & 0x20 == 0 ? 0 : 2
      guard let place = try content(of: 4, at: offset, in: &file) else { return nil }
      return try file.byte(at: place)
    }
    return nil
  }

  /// The start of a descriptor's content, after its tag and a length of up to four bytes.
  private static func content(of tag: UInt8, at start: Int, in file: inout Body) throws(Shortage) -> Int? {
    guard try file.byte(at: start) == tag else { return nil }
    for offset in start + 1...start + 4 {
      guard let byte = try file.byte(at: offset) else { return nil }
      if byte & 0x80 == 0 { return offset + 1 }
    }
    return nil
  }
}
