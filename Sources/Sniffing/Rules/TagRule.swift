/// Examines a body that starts with a tag. It may be MP3, ADTS, FLAC, APE or only a tag, so the
/// bytes after the tag decide. libmagic does not see them after a long tag: cover art takes half a
/// megabyte.
enum TagRule {
  /// How far to search if sound does not follow the tag at once, because of padding or a wrong length.
  private static let searchLimit = 65_536

  static func examine(_ body: inout Body, at start: Int = 0) throws(Shortage) -> Examination? {
    guard var tag = try Tag(at: start, in: &body) else { return nil }
    var offset = tag.end
    for _ in 1..<8 {
      if let name = try nameOfOther(at: offset, in: &body) {
        return try refusal(of: name, behind: tag, &body)
      }
      // Editors leave room for their next tag. Sound never starts with a zero.
      guard let sound = try ZeroRun.end(from: offset, in: &body) else { return refusal(ofAlone: tag) }
      offset = sound
      guard let next = try Tag(at: offset, in: &body) else { break }
      tag = next
      offset = tag.end
    }
    switch try MPEGAudioRule.examine(&body, at: offset) {
    case .rejected(let name)?: return try refusal(of: name, behind: tag, &body)
    case let found?: return found
    case nil: break
    }
    let limit = max(Body.headSize, searchLimit - (offset - tag.end))
    if try MPEGAudioRule.find(from: offset, within: limit, frames: 2, in: &body) != nil {
      return .accepted(.mp3)
    }
    return refusal(ofAlone: tag)
  }

  private static func refusal(ofAlone tag: Tag) -> Examination {
    .rejected(name: "\(tag.name.dropFirst(3)) without audio")
  }

  private static func refusal(
    of name: String, behind tag: Tag, _ body: inout Body
  ) throws(Shortage) -> Examination {
    // The codec is the first word of each name.
    let isOfHLS = try tag.isOfHLS(in: &body)
    return .rejected(name: "\(isOfHLS ? "HLS \(name.prefix { $0 != " " })" : name) behind \(tag.name)")
  }

  private static func nameOfOther(at offset: Int, in body: inout Body) throws(Shortage) -> String? {
    for (start, name) in others where try body.has(start, at: offset) { return name }
    if try body.has("ftyp".utf8, at: offset + 4) { return "MPEG-4 media" }
    return try Signature.name(at: offset, in: &body)
  }

  /// Formats that libmagic or other rules name if no tag precedes them.
  private static let others: [([UInt8], String)] = [
    (Array("OggS".utf8), "Ogg audio or video"), ([0x1a, 0x45, 0xdf, 0xa3], "Matroska or WebM media"),
    ([0x30, 0x26, 0xb2, 0x75], "Windows Media (ASF)"), (Array("FLV".utf8), "Flash video (FLV)"),
    ([0xff, 0xd8, 0xff], "JPEG image"), ([0x89, 0x50, 0x4e, 0x47], "PNG image"),
    (Array("GIF8".utf8), "GIF image"), ([0x50, 0x4b, 3, 4], "ZIP archive"),
    ([0, 0, 1, 0xba], "MPEG movie"), (Array("MThd".utf8), "MIDI music"), (Array("<".utf8), "markup"),
  ]
}
