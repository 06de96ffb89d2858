/// A tag before sound.
struct Tag {
  /// What people call it.
  let name: String
  let start: Int
  let end: Int

  /// Returns nil if no tag starts at `offset`.
  init?(at offset: Int, in body: inout Body) throws(Shortage) {
    if let end = try Self.endOfID3(at: offset, in: &body) {
      (name, start, self.end) = ("an ID3 tag", offset, end)
    } else if let end = try Self.endOfAPE(at: offset, in: &body) {
      (name, start, self.end) = ("an APE tag", offset, end)
    } else {
      return nil
    }
  }

  /// Whether the first frame of an ID3 tag is the time stamp that starts a segment of HLS (RFC
  /// 8216, 3.4). The owner of the private frame follows the headers of the tag and the frame.
  func isOfHLS(in body: inout Body) throws(Shortage) -> Bool {
    guard try body.has("PRIV".utf8, at: start + 10) else { return false }
    return try body.has("com.apple.streaming.transportStreamTimestamp".utf8, at: start + 20)
  }

  /// ID3v2 (id3.org, "ID3 tag version 2.4.0 - Main Structure", 3.1 and 3.4).
  private static func endOfID3(at offset: Int, in body: inout Body) throws(Shortage) -> Int? {
    guard try body.has("ID3".utf8, at: offset), let version = try body.byte(at: offset + 3),
      let flags = try body.byte(at: offset + 5), let size = try body.number(at: offset + 6)
    else { return nil }
    // Versions are small numbers. A larger one means that this is text about ID3.
    if version >= 0x20 { return nil }
    // Lengths have seven bits per byte, so that they do not look like sound. Other lengths are not credible.
    if size & 0x8080_8080 != 0 { return offset + 10 }
    let length = (size >> 3 & 0x0fe0_0000) | (size >> 2 & 0x1f_c000) | (size >> 1 & 0x3f80) | (size & 0x7f)
    let footer = flags & 0x10 == 0 ? 0 : 10
    return offset + 10 + Int(length) + footer
  }

  /// APEv2 (Hydrogenaudio, "APEv2 specification"). The length includes a footer, but not the header
  /// of 32 bytes.
  private static func endOfAPE(at offset: Int, in body: inout Body) throws(Shortage) -> Int? {
    guard try body.has("APETAGEX".utf8, at: offset), let length = try body.number(at: offset + 12)
    else { return nil }
    return offset + 32 + Int(length.byteSwapped)
  }
}
