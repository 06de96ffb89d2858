internal import Supporting

/// What a text must look like to count as a URL. The more common the name of its member, the stricter.
enum URLShape: Sendable {
  /// Any text that is not empty: nothing but a URL belongs at this place.
  case any
  /// It starts with http:// or https://. Any other text may be a name, a number or `null` in quotes.
  case web
  /// It starts with any scheme and `//`, or it can be completed and ends like a file of media. Look for it last, so
  /// that it does not hide a URL that can be fetched. Its failure tells more than `no-media` would.
  case scheme

  private static let extensions = [
    ".jpg", ".jpeg", ".png", ".gif", ".webp", ".heic", ".mp4", ".mov", ".m4v", ".mp3", ".m4a", ".wav",
  ]

  /// Whether the path of a URL ends like that of a picture, a movie or a sound.
  static func endsLikeMedia(_ url: some Collection<UInt8>) -> Bool {
    let path = String(decoding: url.prefix { !"?#".utf8.contains($0) }.suffix(6), as: UTF8.self).lowercased()
    return extensions.contains(where: path.hasSuffix)
  }

  /// The byte after `http://` or `https://`, if the text begins like that.
  private static func startOfHost(in text: some Collection<UInt8>) -> UInt8? {
    var bytes = text.makeIterator()
    for byte in [UInt8(ascii: "h"), UInt8(ascii: "t"), UInt8(ascii: "t"), UInt8(ascii: "p")] {
      guard bytes.next() == byte else { return nil }
    }
    let next = bytes.next()
    guard (next == UInt8(ascii: "s") ? bytes.next() : next) == UInt8(ascii: ":") else { return nil }
    return bytes.next() == UInt8(ascii: "/") && bytes.next() == UInt8(ascii: "/") ? bytes.next() : nil
  }

  /// - Parameter completes: whether the text has no scheme, and can be completed (`--base-url`).
  func fits(_ text: some Collection<UInt8>, completes: Bool) -> Bool {
    if case .any = self { return !text.isEmpty }
    let slash = UInt8(ascii: "/")
    // Nearly all texts start like this. The rest of this function takes a seventh of the time of a search.
    if let host = Self.startOfHost(in: text), host > 0x20, host != slash { return true }
    // Trims what a URL parser would trim: blanks, U+00A0, U+200B, U+FEFF.
    let text = text.drop { $0 <= 0x20 || [0xC2, 0xA0, 0xE2, 0x80, 0x8B, 0xEF, 0xBB, 0xBF].contains($0) }
    if completes, text.first == slash { return text.count > 1 && !text.dropFirst().starts(with: [slash]) }
    if completes, case .scheme = self { return Self.endsLikeMedia(text) }
    let scheme = text.prefix { $0 != UInt8(ascii: ":") }
    let rest = text.dropFirst(scheme.count)
    guard scheme.count <= 32, rest.starts(with: "://".utf8), let host = rest.dropFirst(3).first, host > 0x20,
      host != slash
    else { return false }
    let name = String(decoding: scheme, as: UTF8.self).lowercased()
    switch self {
    case .any: return true
    case .web: return name == "https" || name == "http"
    case .scheme:
      return name.utf8.first?.isASCIILetter == true
        && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
    }
  }
}
