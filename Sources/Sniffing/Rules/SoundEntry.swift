/// How the sound of an MPEG-4 file is encoded: its sample entry (ISO/IEC 14496-12, 12.2.3; mp4ra.org).
enum SoundEntry {
  /// What iOS plays (Apple, "HLS Authoring Specification for Apple Devices", 2; "Core Audio Overview",
  /// "Supported Audio File and Data Formats").
  private static let played: Set<String> = [
    "alac", "fLaC", "ac-3", "ec-3", "samr", "sawb", ".mp3", "lpcm", "ipcm", "fpcm", "sowt", "twos", "raw ",
    "in24", "in32", "fl32", "fl64", "alaw", "ulaw", "ima4",
  ]

  /// What `mp4a` stands for: AAC of MPEG-4 and MPEG-2, MPEG audio, AC-3 and E-AC-3.
  private static let objects: Set<UInt8> = [0x40, 0x66, 0x67, 0x68, 0x69, 0x6b, 0xa5, 0xa6]

  /// The length of the fields before an entry's boxes, in bytes.
  private static let fixedLength = 28

  /// Why iOS may not play it. Nil if iOS plays it, or if the entry does not state the codec.
  static func warning(on entry: Box, in file: inout Body) throws(Shortage) -> MediaWarning? {
    switch entry.type {
    case "Opus": return .opus
    case "mp4a":
      let type = try StreamDescriptor.objectType(in: entry, from: fixedLength, of: &file)
      return type.map { objects.contains($0) } ?? true ? nil : type == 0xad ? .opus : .otherSound
    case let type: return played.contains(type) ? nil : .otherSound
    }
  }
}
