/// Why iOS may not show or play a file, although it accepts the format. The file is attached all the same,
/// because that depends on the device. The raw values are stable: reports and metrics contain them.
///
/// Sources: Apple, "HLS Authoring Specification for Apple Devices", 1.5 and 1.10 (codecs, and where
/// their parameters are); Apple, technical specifications of iPhone (AV1 since iPhone 15 Pro); Apple,
/// Developer Forums, thread 759210 (Opus in MP4 since iOS 17).
package enum MediaWarning: String, CaseIterable, Sendable {
  case vp9, av1, hev1, avc3, mjpeg
  case otherCodec = "other-codec"
  case opus
  case otherSound = "other-sound"
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
    case .opus: "Opus in MPEG-4: iOS plays it since version 17; AAC is safe"
    case .otherSound: "an unusual sound codec in MPEG-4: iOS may not play it; AAC is safe"
    case .cmyk: "CMYK colors: iOS may not show them, or may show the wrong colors; RGB is safe"
    case .sixteenBit: "16 bits per color: it may not fit into an extension's memory; 8 bits are safe"
    }
  }
}
