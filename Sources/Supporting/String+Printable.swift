extension String {
  /// The text, of strangers and for people, with an escape like `\u{202E}` for characters that could steer a
  /// terminal, forge a log line, reverse the text or hide in it.
  package var printable: String {
    if utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return self }
    return unicodeScalars.map { $0.isPrintable ? String($0) : $0.escaped(asASCII: true) }.joined()
  }
}

extension Unicode.Scalar {
  /// Whether people see it, and see it for what it is. False for control and format characters, for spaces
  /// other than U+0020, for characters that most programs do not draw, and for unassigned code points.
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
