/// Segments up to the first frame header (SOF), and then up to the first scan (ITU-T T.81, annex B).
enum JPEGContent {
  @Sendable static func read(_ reading: inout ContentReading, _ body: inout Body) throws(Shortage) -> String?
  {
    // After SOI.
    reading.offset = max(reading.offset, 2)
    while reading.takeStep(), let byte = try body.byte(at: reading.offset) {
      let offset = reading.offset
      guard byte == 0xff else {
        // Decoders skip padding between segments.
        reading.offset += 1
        continue
      }
      guard let marker = try body.byte(at: offset + 1) else { return nil }
      switch marker {
      // Frames that libjpeg, and so iOS, does not decode (table B.1), and JPEG-LS (ITU-T T.87).
      case 0xc3: return "lossless JPEG image"
      case 0xc5...0xc7, 0xde: return "hierarchical JPEG image"
      case 0xc9...0xcf: return "arithmetic-coded JPEG image"
      case 0xf7: return "JPEG-LS image"
      // A fill byte.
      case 0xff: reading.offset += 1
      // Markers without a segment.
      case 0x00, 0x01, 0xd0...0xd7: reading.offset += 2
      // The end, or a second start, which libjpeg refuses.
      case 0xd8, 0xd9: return nil
      case 0xda:
        reading.hasContent = try hasScan(at: offset, reading.facts, in: &body)
        return nil
      default:
        guard let length = try body.short(at: offset + 2), length >= 2 else { return nil }
        if 0xc0...0xc2 ~= marker {
          guard let frame = try Frame(at: offset + 2, length, in: &body) else { return nil }
          if let name = frame.name { return name }
          (reading.facts.width, reading.facts.height) = (frame.width, frame.height)
          if frame.components == 4 { reading.facts.warning = .cmyk }
        }
        reading.offset += 2 + length
      }
    }
    return nil
  }

  /// Whether a picture starts after the header of the scan (B.2.3).
  private static func hasScan(
    at offset: Int, _ facts: MediaFacts, in body: inout Body
  ) throws(Shortage) -> Bool {
    guard facts.width != nil, let length = try body.short(at: offset + 2),
      let components = try body.byte(at: offset + 4), 1...4 ~= components, length == 6 + 2 * Int(components),
      let first = try body.byte(at: offset + 2 + length)
    else { return false }
    // In the picture, a zero follows each FF (B.1.1.5).
    if first != 0xff { return true }
    return try body.byte(at: offset + 3 + length) == 0
  }
}

/// A frame header (B.2.2).
private struct Frame {
  let width: Int
  let height: Int
  /// How many colors a pixel has.
  let components: UInt8
  private let precision: UInt8

  /// Returns nil if it is implausible.
  init?(at offset: Int, _ length: Int, in body: inout Body) throws(Shortage) {
    guard let precision = try body.byte(at: offset + 2), let height = try body.short(at: offset + 3),
      let width = try body.short(at: offset + 5), let components = try body.byte(at: offset + 7),
      precision == 8 || precision == 12, 1...4 ~= components, length == 8 + 3 * Int(components)
    else { return nil }
    (self.width, self.height, self.components, self.precision) = (width, height, components, precision)
  }

  /// The name of a picture that iOS does not show; nil for others. A height of 0 means that the height follows the
  /// scan (B.2.5), which libjpeg refuses.
  var name: String? {
    if precision != 8 { return "\(precision)-bit JPEG image" }
    return width == 0 || height == 0 ? "JPEG image of \(width) × \(height) pixels" : nil
  }
}
