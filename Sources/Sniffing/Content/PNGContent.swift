/// IHDR, and the chunks up to the first IDAT with data (ISO/IEC 15948, 5.3 and 11.2; APNG: acTL).
enum PNGContent {
  @Sendable static func read(_ reading: inout ContentReading, _ body: inout Body) throws(Shortage) -> String?
  {
    if reading.offset == 0 {
      guard let header = try header(in: &body) else { return nil }
      guard header.width > 0, header.height > 0 else {
        return "PNG image of \(header.width) × \(header.height) pixels"
      }
      (reading.facts.width, reading.facts.height) = (header.width, header.height)
      if header.depth == 16 { reading.facts.warning = .sixteenBit }
      reading.hasHeader = header.color != 3
      reading.offset = header.end
    }
    while reading.takeStep(), let length = try body.number(at: reading.offset),
      let kind = try body.code(at: reading.offset + 4), length < 1 << 31, kind.utf8.allSatisfy(isLetter)
    {
      let content = reading.offset + 8
      switch kind {
      case "IDAT" where length > 0:
        // zlib's header with the method deflate (RFC 1950, 2.2). Apple's tools leave it out.
        let isOfApple = try isOfApple(&body)
        guard reading.hasHeader, let first = try body.byte(at: content) else { return nil }
        reading.hasContent = isOfApple || first & 0x8f == 8
        return nil
      case "PLTE": reading.hasHeader = true
      // libpng refuses a second header.
      case "IEND", "IHDR": return nil
      case "acTL":
        guard let frames = try body.number(at: content) else { return nil }
        // Without frames, it is a still picture.
        if frames > 0 { reading.facts.frames = Int(frames) }
      default: break
      }
      reading.offset = content + Int(length) + 4
    }
    return nil
  }

  /// Returns nil if the header is implausible.
  private static func header(
    in body: inout Body
  ) throws(Shortage) -> (width: Int, height: Int, depth: UInt32, color: UInt32, end: Int)? {
    let start = try isOfApple(&body) ? 24 : 8
    guard try body.has(headerStart, at: start), let width = try body.number(at: start + 8),
      let height = try body.number(at: start + 12), let kinds = try body.number(at: start + 16),
      let interlacing = try body.byte(at: start + 20), let sum = try body.number(at: start + 21),
      // Bit depth and color type, no other compression and filter, interlacing.
      isKnown(kinds >> 16), kinds & 0xffff == 0, interlacing < 2
    else { return nil }
    var checksum = UInt32.max
    for offset in start + 4..<start + 21 {
      guard let byte = try body.byte(at: offset) else { return nil }
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 0 ? 0 : 0xedb8_8320) }
    }
    return ~checksum == sum ? (Int(width), Int(height), kinds >> 24, kinds >> 16 & 0xff, start + 25) : nil
  }

  private static let headerStart = [0, 0, 0, 13] + Array("IHDR".utf8)

  /// Xcode makes PNGs for iOS that begin with a chunk CgBI of four bytes.
  private static func isOfApple(_ body: inout Body) throws(Shortage) -> Bool {
    try body.has(startOfApple, at: 8)
  }

  private static let startOfApple = [0, 0, 0, 4] + Array("CgBI".utf8)

  private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7a ~= byte | 0x20 }

  /// The bit depths of each color type (table 11.1).
  private static func isKnown(_ depthAndColor: UInt32) -> Bool {
    switch (depthAndColor & 0xff, depthAndColor >> 8) {
    case (0, 1), (0, 2), (0, 4), (3, 1), (3, 2), (3, 4): true
    case (0, 8), (2, 8), (3, 8), (4, 8), (6, 8), (0, 16), (2, 16), (4, 16), (6, 16): true
    default: false
    }
  }
}
