/// Names texts that arrive instead of media: error pages, API answers, drawings. libmagic's own
/// text checks cost 2.2 MB of private memory and, on 4 KB of newlines, 72 ms.
enum TextRule {
  static func examine(_ body: inout Body) throws(Shortage) -> Examination? {
    // A control character shows that this is not text, before the rest has arrived.
    guard let first = try body.byte(at: 0), first >= 0x20 || isSpace(first) else { return nil }
    return name(of: try body.first4KB()).map { .rejected(name: $0) }
  }

  /// Whether this is UTF-8, or mostly ASCII with accents of an older encoding. It may be cut off.
  static func isText(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty, hasNoControls(bytes) else { return false }
    if bytes.count(where: { $0 >= 0x80 }) * 3 <= bytes.count { return true }
    let lastStart = bytes.suffix(4).lastIndex { $0 >= 0xc0 } ?? bytes.endIndex
    return String(validating: bytes[..<lastStart], as: UTF8.self) != nil
  }

  /// Whether this is nothing but base64, with or without line breaks, or a `data:` URL.
  static func isBase64(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: "data:".utf8) { return true }
    let text = bytes.filter { !isSpace($0) }
    return text.count >= 64 && bytes.count - text.count <= text.count / 32 + 2
      && text.allSatisfy {
        0x30...0x39 ~= $0 || 0x41...0x5a ~= $0 || 0x61...0x7a ~= $0 || "+/-_=".utf8.contains($0)
      }
  }

  /// Whether there is a line of words at the start. LAME's padding does not count: it is LAME's name between runs
  /// of one letter.
  static func startsWithLine(_ bytes: [UInt8]) -> Bool {
    let words = words(at: bytes)
    // A run of one character counts as one.
    let count = zip(words, words.dropFirst()).count { $0 != $1 } + 1
    return count >= 16 && !words.prefix(2_048).contains("LAME3.".utf8)
  }

  /// Whether there are a few characters of text at the start, with punctuation as in markup, data and length fields.
  static func startsWithMarks(_ bytes: [UInt8]) -> Bool {
    let words = words(at: bytes)
    return words.count >= 5 && words.contains { "<>{}[]:=;\"\n".utf8.contains($0) }
  }

  private static func words(at bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.prefix { 0x20..<0x7f ~= $0 || isSpace($0) }
  }

  private static func hasNoControls(_ bytes: [UInt8]) -> Bool { bytes.allSatisfy(isOfText) }

  /// Allows spaces and escapes, and any encoding that extends ASCII.
  private static func isOfText(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7f || isSpace(byte) || byte == 0x1b
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0d ~= byte }

  private static func name(of bytes: [UInt8]) -> String? {
    var bytes = bytes
    if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
      // UTF-16: without the zeros, the markup is left, because it is ASCII.
      bytes = bytes.dropFirst(2).filter { $0 != 0 }
    } else if bytes.starts(with: [0xef, 0xbb, 0xbf]) {
      bytes.removeFirst(3)
    }
    // Servers print warnings in HTML before a file, so markup may end anywhere.
    let start = Array(bytes.prefix(while: isOfText))
    var text = MarkupText(start)
    text.skipSpace()
    if text.starts(with: "<") { return text.markupName() }
    guard start.count == bytes.count else { return nil }
    if text.starts(with: "#extm3u") { return "M3U playlist" }
    return text.looksLikeJSON() ? text.nameOfJSON() : nil
  }
}
