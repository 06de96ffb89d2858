extension String {
  /// A stranger's text made safe to show. An escape like `\u{202E}` replaces each character that
  /// could control a terminal, forge a log line, reverse the text or hide in it.
  package var printable: String {
    if allBytes({ 0x20...0x7E ~= $0 }) { return self }
    return unicodeScalars.map { $0.isPrintable ? String($0) : $0.escaped(asASCII: true) }.joined()
  }
}

extension Unicode.Scalar {
  /// Whether people can see and recognize it. False for control and format characters, for spaces
  /// other than U+0020, for characters that most programs do not draw, and for unassigned ones.
  package var isPrintable: Bool {
    if isASCII { return 0x20...0x7E ~= value }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .surrogate,
      .unassigned:
      return false
    default:
      // U+2800 is the empty pattern of Braille, which Unicode does not count as a space.
      return !properties.isDefaultIgnorableCodePoint && value != 0x2800
    }
  }
}
