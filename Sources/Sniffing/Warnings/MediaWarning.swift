/// Why iOS may not show a file, although it accepts the format. The file is attached all the same,
/// because that depends on the device. The raw values are stable: reports and metrics contain them.
///
/// Sources: Apple, "HLS Authoring Specification for Apple Devices", 1.5 and 1.10 (codecs, and where
/// their parameters are); Apple, technical specifications of iPhone (AV1 since iPhone 15 Pro).
package enum MediaWarning: String, CaseIterable, Sendable {
  case vp9, av1, hev1, avc3, mjpeg
  case otherCodec = "other-codec"
  case cmyk
  case sixteenBit = "16-bit"

  /// What to do about it, for people.
  package var text: String {
    switch self {
    case .vp9: "VP9 in MPEG-4: iOS may not show it; H.264 is safe"
    case .av1: "AV1: only devices that decode it in hardware show it; H.264 is safe"
    case .hev1: "HEVC as hev1: iOS may not show it; hvc1 is safe"
    case .avc3: "H.264 as avc3: iOS may not show it; avc1 is safe"
    case .mjpeg: "Motion JPEG in MPEG-4: iOS may not show it; H.264 is safe"
    case .otherCodec: "an unusual video codec in MPEG-4: iOS may not show it; H.264 is safe"
    case .cmyk: "CMYK colors: iOS may not show them, or show other ones; RGB is safe"
    case .sixteenBit: "16 bits a color: iOS may not show it in an extension's memory; 8 bits are safe"
    }
  }

  /// Looks into a complete file that was accepted. Reads its header once more, a few KB.
  /// - Parameter read: fills the span with bytes from the offset on, and returns how many.
  package static func find(
    in format: MediaFormat, size: Int, read: (_ offset: Int, _ into: inout MutableSpan<UInt8>) -> Int
  ) -> MediaWarning? {
    guard let look = looks[format] else { return nil }
    return withoutActuallyEscaping(read) { read in
      var file = Body(available: size, isComplete: true, read: read)
      return try? look(&file)
    }
  }

  private static let looks: [MediaFormat: @Sendable (inout Body) throws(Shortage) -> MediaWarning?] = [
    .jpeg: { file throws(Shortage) in try JPEGFrame.components(in: &file) == 4 ? .cmyk : nil },
    // The bits of a sample, in IHDR (ISO/IEC 15948, 11.2.2).
    .png: { file throws(Shortage) in try file.byte(at: 24) == 16 ? .sixteenBit : nil },
    .mp4: { file throws(Shortage) in try VideoCodec.warning(on: &file) },
  ]
}

/// The frame header of a JPEG (ITU-T T.81, B.2.2).
private enum JPEGFrame {
  /// How many colors a pixel has.
  static func components(in file: inout Body) throws(Shortage) -> UInt8? {
    var offset = 2
    // Profiles and thumbnails come first, in segments of 64 KB.
    for _ in 0..<512 {
      guard try file.byte(at: offset) == 0xff, let marker = try file.byte(at: offset + 1) else { return nil }
      switch marker {
      // Fill bytes.
      case 0xff: offset += 1
      // Tables of codes look like a frame.
      case 0xc0...0xcf where ![0xc4, 0xc8, 0xcc].contains(marker): return try file.byte(at: offset + 9)
      case 0xd9, 0xda: return nil
      case 0x01, 0xd0...0xd7: offset += 2
      default:
        guard let length = try file.number(at: offset + 2) else { return nil }
        offset += 2 + max(2, Int(length >> 16))
      }
    }
    return nil
  }
}
