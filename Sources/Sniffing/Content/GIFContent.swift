/// The screen and all pictures on it (CompuServe, "Graphics Interchange Format, Version 89a").
/// Follows a GIF to its end, because nothing else says how many pictures it has.
enum GIFContent {
  @Sendable static func read(_ reading: inout ContentReading, _ body: inout Body) throws(Shortage) -> String?
  {
    // Blocks have at most 255 bytes. Small windows would mean a read for each.
    body.windowSize = Body.headSize
    if reading.offset == 0 {
      guard let flags = try body.byte(at: 10) else { return nil }
      reading.offset = 13 + colors(flags)
    }
    while true {
      if reading.isInBlocks {
        guard let length = try body.byte(at: reading.offset) else { return nil }
        // The first byte of the first picture.
        if length > 0, reading.facts.frames != nil, !reading.hasContent {
          guard try body.byte(at: reading.offset + 1) != nil else { return nil }
          reading.hasContent = true
        }
        reading.offset += 1 + Int(length)
        reading.isInBlocks = length > 0
        continue
      }
      switch try body.byte(at: reading.offset) {
      case 0x21: reading.offset += 2
      case 0x2c:
        guard let picture = try Picture(at: reading.offset, in: &body) else { return nil }
        if let name = try note(picture, &reading.facts, &body) { return name }
        reading.offset = picture.end
      default: return nil
      }
      reading.isInBlocks = true
    }
  }

  /// The size of the color table that follows, in bytes.
  fileprivate static func colors(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 6 << Int(flags & 7) }

  /// Counts a picture. The screen grows with it, as in decoders.
  private static func note(
    _ picture: Picture, _ facts: inout MediaFacts, _ body: inout Body
  ) throws(Shortage) -> String? {
    guard let width = try body.littleShort(at: 6), let height = try body.littleShort(at: 8) else {
      return nil
    }
    let size = (max(facts.width ?? width, picture.right), max(facts.height ?? height, picture.bottom))
    guard size.0 > 0, size.1 > 0 else { return "GIF image of \(size.0) × \(size.1) pixels" }
    (facts.width, facts.height) = size
    facts.frames = (facts.frames ?? 0) + 1
    return nil
  }
}

/// The descriptor of a picture (20), and the size of its codes (22).
private struct Picture {
  let right: Int
  let bottom: Int
  /// Where its blocks start.
  let end: Int

  /// Returns nil if it is implausible.
  init?(at offset: Int, in body: inout Body) throws(Shortage) {
    guard let left = try body.littleShort(at: offset + 1), let top = try body.littleShort(at: offset + 3),
      let width = try body.littleShort(at: offset + 5), let height = try body.littleShort(at: offset + 7),
      let flags = try body.byte(at: offset + 9)
    else { return nil }
    let table = offset + 10 + GIFContent.colors(flags)
    // Codes start one bit longer than this, and have at most 12 bits.
    guard let bits = try body.byte(at: table), 1...11 ~= bits else { return nil }
    (right, bottom, end) = (left + width, top + height, table + 1)
  }
}
