/// EOI after all segments and scans (ITU-T T.81 annex B). A thumbnail in a segment has its own.
enum JPEGEnd {
  @Sendable static func find(in file: inout Body) throws(Shortage) -> Int? {
    // After SOI. Takes as many steps as `JPEGContent`, because all transfers wait meanwhile.
    var (offset, steps) = (2, 0)
    while steps < MovieEnd.most, let byte = try file.byte(at: offset) {
      steps += 1
      guard byte == 0xff else {
        // Decoders skip padding between segments.
        offset += 1
        continue
      }
      guard let marker = try file.byte(at: offset + 1) else { return nil }
      switch marker {
      case 0xd9: return offset + 2
      // Fill bytes.
      case 0xff: offset += 1
      // Markers without a segment.
      case 0x00, 0x01, 0xd0...0xd7: offset += 2
      default:
        guard let high = try file.byte(at: offset + 2), let low = try file.byte(at: offset + 3) else {
          return nil
        }
        offset += 2 + max(2, Int(high) << 8 | Int(low))
        // SOS: the image itself follows.
        if marker == 0xda {
          guard let next = try markerBehindScan(at: offset, in: &file) else { return nil }
          offset = next
        }
      }
    }
    return nil
  }

  /// The next marker outside the scan. Inside it, 0 or a restart marker follows FF.
  private static func markerBehindScan(at start: Int, in file: inout Body) throws(Shortage) -> Int? {
    var offset = start
    while let mark = try file.firstIndex(of: 0xff, from: offset), let next = try file.byte(at: mark + 1) {
      switch next {
      case 0, 0xd0...0xd7: offset = mark + 2
      case 0xff: offset = mark + 1
      default: return mark
      }
    }
    return nil
  }
}

/// The trailer after all blocks (CompuServe, "Graphics Interchange Format, Version 89a").
enum GIFEnd {
  @Sendable static func find(in file: inout Body) throws(Shortage) -> Int? {
    guard let flags = try file.byte(at: 10) else { return nil }
    var offset = 13 + colors(flags)
    while let kind = try file.byte(at: offset) {
      switch kind {
      case 0x3b: return offset + 1
      case 0x21: offset += 2
      case 0x2c:
        guard let flags = try file.byte(at: offset + 9) else { return nil }
        offset += 11 + colors(flags)
      default: return nil
      }
      while let length = try file.byte(at: offset), length > 0 { offset += 1 + Int(length) }
      offset += 1
    }
    return nil
  }

  /// The size of the color table that follows, in bytes.
  private static func colors(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 6 << Int(flags & 7) }
}

/// The chunk IEND (ISO/IEC 15948, 11.2.5).
enum PNGEnd {
  @Sendable static func find(in file: inout Body) throws(Shortage) -> Int? {
    var offset = 8
    while let length = try file.number(at: offset), let kind = try file.code(at: offset + 4) {
      offset += 12 + Int(length)
      if kind == "IEND" { return offset }
    }
    return nil
  }
}
