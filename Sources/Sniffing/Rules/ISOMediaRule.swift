/// MPEG-4 and its relatives, by brand and by tracks.
///
/// libmagic goes by brand alone and calls MPEG-4 sound "video/mp4" in 194 of 196 files; the size limit on iOS
/// is 5 MB for sound and 50 MB for video, so the tracks have to be looked at.
///
/// Source: ISO/IEC 14496-12, sections 4.2 (boxes) and 4.3 (ftyp); Apple, "QuickTime File Format".
enum ISOMediaRule {
  static func examine(_ body: inout Body) throws(Shortage) -> Examination? {
    // A length that starts with a letter would be half a gigabyte: that is text with an unlucky second word.
    guard try body.byte(at: 0).map({ $0 < 0x20 }) == true, let type = try body.code(at: 4) else { return nil }
    switch type {
    case "ftyp": return try examine(&body, brand: body.code(at: 8))
    case "styp", "moof", "sidx", "emsg": return .rejected(name: "MP4 fragment")
    // Before ftyp was invented the first box could be any of these.
    case "moov", "wide", "pnot", "mdat", "free", "skip": return .rejected(name: "QuickTime movie")
    default: return nil
    }
  }

  private static func examine(
    _ body: inout Body, brand: FourCharacterCode?
  ) throws(Shortage) -> Examination {
    guard let brand else { return .rejected(name: "MP4 header without content") }
    if let name = refusedBrands[brand] { return .rejected(name: name) }
    let text = brand.text
    if text.hasPrefix("3g") { return .rejected(name: "3GPP video") }
    if text.hasPrefix("M4V") { return .rejected(name: "M4V video") }
    // Apple's own brand for sound, as "M4A " and as "M4A\0".
    if text.hasPrefix("M4A") { return .accepted(.m4a) }
    switch try MovieTracks.find(in: &body) {
    case .picture: return .accepted(.mp4)
    case .sound: return .accepted(.m4a)
    case .neither: return .rejected(name: "MP4 without tracks")
    }
  }

  private static let refusedBrands: [FourCharacterCode: String] = [
    "qt  ": "QuickTime movie",
    "M4B ": "M4B audiobook", "M4P ": "M4P protected audio",
    "heic": "HEIC image", "heix": "HEIC image", "heim": "HEIC image", "heis": "HEIC image",
    "hevc": "HEIC image sequence", "hevx": "HEIC image sequence",
    "mif1": "HEIF image", "mif2": "HEIF image", "msf1": "HEIF image sequence",
    "avif": "AVIF image", "avis": "AVIF image sequence",
    "jp2 ": "JPEG 2000 image", "jpx ": "JPEG 2000 image", "jpm ": "JPEG 2000 document",
    "mjp2": "Motion JPEG 2000 video", "mj2s": "Motion JPEG 2000 video",
    "jxl ": "JPEG XL image", "crx ": "Canon CR3 raw image",
    "dvr1": "DVB recording", "dvt1": "DVB recording",
  ]
}
