/// How the pictures of an MPEG-4 file are encoded: their sample entry (ISO/IEC 14496-12, 12.1.3;
/// mp4ra.org).
enum PictureEntry {
  /// Nil for what iOS shows.
  private static let entries: [String: MediaWarning?] = [
    "avc1": nil, "hvc1": nil, "dvh1": nil, "dva1": nil, "s263": nil,
    "avc3": .avc3, "dvav": .avc3, "hev1": .hev1, "dvhe": .hev1, "vp09": .vp9, "av01": .av1,
    "jpeg": .mjpeg, "mjpg": .mjpeg, "mjpa": .mjpeg, "mjpb": .mjpeg,
  ]

  /// What `mp4v` stands for: the object type in its descriptor (ISO/IEC 14496-1, table 5; mp4ra.org).
  private static let objects: [UInt8: MediaWarning?] = [
    // MPEG-4 Part 2 and H.264.
    0x20: nil, 0x21: nil, 0x6c: .mjpeg, 0xb1: .vp9,
  ]

  /// In pixels, as encoded: a track may be shown turned, or with other proportions.
  static func size(of entry: Box, in file: inout Body) throws(Shortage) -> (width: Int?, height: Int?) {
    guard entry.content + fixedLength <= entry.end, let size = try file.number(at: entry.content + 24) else {
      return (nil, nil)
    }
    let (width, height) = (Int(size >> 16), Int(size & 0xffff))
    return width > 0 && height > 0 ? (width, height) : (nil, nil)
  }

  /// Why iOS may not show it.
  static func warning(on entry: Box, in file: inout Body) throws(Shortage) -> MediaWarning? {
    let known =
      entry.type == "mp4v"
      ? try objectType(in: entry, of: &file).flatMap { objects[$0] } : entries[entry.type]
    return known ?? .otherCodec
  }

  /// What each entry has before its boxes, in bytes.
  private static let fixedLength = 78

  /// Descriptors are in a box (esds).
  private static func objectType(in entry: Box, of file: inout Body) throws(Shortage) -> UInt8? {
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

  /// The start of a descriptor's content, behind its tag and a length of up to four bytes.
  private static func content(of tag: UInt8, at start: Int, in file: inout Body) throws(Shortage) -> Int? {
    guard try file.byte(at: start) == tag else { return nil }
    for offset in start + 1...start + 4 {
      guard let byte = try file.byte(at: offset) else { return nil }
      if byte & 0x80 == 0 { return offset + 1 }
    }
    return nil
  }
}
