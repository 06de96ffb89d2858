/// MPEG-1 and MPEG-2: a program stream up to its first packet (ISO/IEC 13818-1, 2.5.3), or a video
/// stream up to its first picture (ISO/IEC 13818-2, 6.2).
enum MPEGContent {
  /// How far apart start codes may be before the content, in bytes.
  private static let reach = 65_536

  @Sendable static func read(_ reading: inout ContentReading, _ body: inout Body) throws(Shortage) -> String?
  {
    // Any number of zeros may come first, and two belong to the first start code.
    if reading.offset == 0 { reading.offset = max(2, try ZeroRun.end(from: 0, in: &body) ?? 2) - 2 }
    body.windowSize = Body.headSize
    while reading.takeStep(), let offset = try startCode(from: reading.offset, in: &body),
      let code = try body.byte(at: offset + 3)
    {
      switch code {
      // A pack, and a group of pictures.
      case 0xba, 0xb8: reading.offset = offset + 8
      // A sequence header.
      case 0xb3:
        guard let size = try size(at: offset, in: &body) else { return nil }
        (reading.facts.width, reading.facts.height) = size
        reading.offset = offset + 12
      case 0x00:
        // A picture, with the bytes of its header.
        let isWhole = try body.byte(at: offset + 5) != nil
        reading.hasContent = isWhole && reading.facts.width != nil
        return nil
      // A packet of sound, video or private data.
      case 0xbd, 0xc0...0xef:
        guard try body.byte(at: offset + 6) != nil else { return nil }
        reading.hasContent = true
        reading.facts = try facts(of: code, at: offset, in: &body)
        return nil
      // A system header, padding, navigation.
      case 0xbb, 0xbc, 0xbe, 0xbf, 0xf0...0xff:
        guard let length = try body.short(at: offset + 4) else { return nil }
        reading.offset = offset + 6 + length
      default: reading.offset = offset + 4
      }
    }
    return nil
  }

  /// The size of the video, if a sequence header follows the header of the packet. Asks for no more bytes.
  private static func facts(
    of code: UInt8, at offset: Int, in body: inout Body
  ) throws(Shortage) -> MediaFacts {
    guard code >= 0xe0, offset + 64 <= body.available else { return MediaFacts() }
    for start in offset + 6..<offset + 48 where try body.has([0, 0, 1, 0xb3], at: start) {
      let size = try size(at: start, in: &body)
      return MediaFacts(width: size?.0, height: size?.1)
    }
    return MediaFacts()
  }

  private static func size(at offset: Int, in body: inout Body) throws(Shortage) -> (Int, Int)? {
    guard let number = try body.number(at: offset + 4) else { return nil }
    let (width, height) = (Int(number >> 20), Int(number >> 8 & 0xfff))
    return width > 0 && height > 0 ? (width, height) : nil
  }

  /// The next two zeros and a one. More zeros may come before them as padding.
  private static func startCode(from start: Int, in body: inout Body) throws(Shortage) -> Int? {
    var offset = start
    while let one = try body.firstIndex(of: 1, from: offset, before: start + reach) {
      if one >= start + 2, try body.has([0, 0], at: one - 2) { return one - 2 }
      offset = one + 1
    }
    return nil
  }
}
