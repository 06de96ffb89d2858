/// The mark of an unknown file format. A file of such a format can contain an MP3, but a player would not find it
/// there.
enum FileMark {
  /// Names a file by its start. An MP3 whose start was cut away begins with half a frame, and the first four
  /// bytes of that are letters and digits once in 290 times.
  static func name(of start: [UInt8]) -> String? {
    if TextRule.startsWithLine(start) || TextRule.startsWithMarks(start) {
      return "text in front of other data"
    }
    return letters(of: start).map { "unknown data that starts with “\($0)”" }
  }

  private static func letters(of start: [UInt8]) -> String? {
    if start.prefix(16).contains([0x0d, 0x0a, 0x1a]) {
      // These show whether a transfer has changed the ends of lines, as in PNG (ISO/IEC 15948, 5.2).
      return String(decoding: start.prefix(8).filter(isLetterOrDigit), as: UTF8.self)
    }
    let mark = start.prefix(4)
    guard mark.count == 4, mark.allSatisfy(isLetterOrDigit), !mark.allSatisfy(isOfPadding),
      mark.contains(where: { $0 != mark[0] })
    else { return nil }
    return String(decoding: mark, as: UTF8.self)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x41...0x5a ~= byte || 0x61...0x7a ~= byte
  }

  /// LAME pads with its name, its version and the letter U, and a cut can be anywhere in them.
  private static func isOfPadding(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || "LAMEU.rb".utf8.contains(byte)
  }
}
