/// Examines a body that starts with an ID3v2 tag (id3.org, "ID3 tag version 2.4.0 - Main
/// Structure", 3.1 and 3.4). It may be MP3, ADTS, FLAC, APE or only a tag, so the bytes after the
/// tag decide. libmagic does not see them after a long tag: cover art takes half a megabyte.
enum ID3Rule {
  /// How far to search if no sound follows the tag at once: there is padding, or a wrong length.
  private static let searchLimit = 65_536

  @Sendable static func examine(_ body: inout Body) throws(Shortage) -> Examination? {
    guard var offset = try tagEnd(at: 0, in: &body) else { return nil }
    for _ in 1..<8 {
      guard let next = try tagEnd(at: offset, in: &body) else { break }
      offset = next
    }
    if let found = try MPEGAudioRule.examine(&body, at: offset) { return found }
    if let name = try Signature.name(at: offset, in: &body) {
      return .rejected(name: "\(name) behind an ID3 tag")
    }
    if try MPEGAudioRule.isFound(from: offset, within: searchLimit, frames: 2, in: &body) {
      return .accepted(.mp3)
    }
    return .rejected(name: "ID3 tag without audio")
  }

  /// The end of the tag that starts at `offset`, or nil if there is none.
  private static func tagEnd(at offset: Int, in body: inout Body) throws(Shortage) -> Int? {
    guard try body.has("ID3".utf8, at: offset), let version = try body.byte(at: offset + 3),
      let flags = try body.byte(at: offset + 5), let size = try body.number(at: offset + 6)
    else { return nil }
    // Versions are small numbers. A larger one means that this is text about ID3.
    if version >= 0x20 { return nil }
    // Lengths have seven bits a byte, so as not to look like sound. Other lengths are not credible.
    if size & 0x8080_8080 != 0 { return offset + 10 }
    let length = (size >> 3 & 0x0fe0_0000) | (size >> 2 & 0x1f_c000) | (size >> 1 & 0x3f80) | (size & 0x7f)
    let footer = flags & 0x10 == 0 ? 0 : 10
    return offset + 10 + Int(length) + footer
  }
}
