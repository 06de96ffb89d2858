extension String {
  /// With `\u{202E}` in place of each character that steers a terminal, forges a line, turns the text around
  /// or is not to be seen at all: for all that a sender, a server or a name server may have chosen, wherever
  /// people read it.
  package var printable: String {
    if isPlainASCII { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isPrintable {
        text.unicodeScalars.append(scalar)
      } else {
        text += scalar.escaped(asASCII: true)
      }
    }
    return text
  }

  /// Nearly all are, and a log line has ten of them: without a way out, many bytes are looked at at once.
  private var isPlainASCII: Bool {
    let bytes = utf8Span.span
    var others: UInt8 = 0
    for index in bytes.indices { others |= bytes[index] < 0x20 || bytes[index] > 0x7E ? 1 : 0 }
    return others == 0
  }
}

extension Unicode.Scalar {
  /// Whether it shows, and as what it is: no control or format character, no space but U+0020, nothing that
  /// Unicode has most programs ignore, and nothing that has no meaning of its own.
  package var isPrintable: Bool {
    if isASCII { return 0x20...0x7E ~= value }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .surrogate,
      .unassigned:
      return false
    default:
      // A blank of Braille is no space to Unicode.
      return !properties.isDefaultIgnorableCodePoint && value != 0x2800
    }
  }
}
