/// How the pictures of an MPEG-4 file are encoded: their sample entry (ISO/IEC 14496-12, 12.1.3;
/// mp4ra.org).
enum PictureEntry {
  /// Nil means that iOS shows it.
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

  /// In pixels, as encoded. A track may be shown rotated, or with other proportions.
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
      ? try StreamDescriptor.objectType(in: entry, from: fixedLength, of: &file).flatMap { objects[$0] }
      : entries[entry.type]
    return known ?? .otherCodec
  }

  /// The length of the fields before an entry's boxes, in bytes.
  private static let fixedLength = 78
}
