/// What has one spelling as a JSON value.
package protocol JSONWritable {
  /// Writes exactly one value.
  func write(to writer: inout JSONWriter)
}

extension String: JSONWritable {
  /// Escapes `"`, `\` and control characters, each as short as can be, and nothing else; `/` stays.
  package func write(to writer: inout JSONWriter) {
    var text: [UInt8] = [UInt8(ascii: "\"")]
    text.reserveCapacity(utf8.count + 2)
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0x08: text += #"\b"#.utf8
      case 0x09: text += #"\t"#.utf8
      case 0x0A: text += #"\n"#.utf8
      case 0x0C: text += #"\f"#.utf8
      case 0x0D: text += #"\r"#.utf8
      case ..<0x10: text += (#"\u000"# + String(byte, radix: 16)).utf8
      case ..<0x20: text += (#"\u00"# + String(byte, radix: 16)).utf8
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
    writer.raw(text)
  }
}

extension Int: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.raw(String(self).utf8) }
}

extension Bool: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.raw((self ? "true" : "false").utf8) }
}

extension Double: JSONWritable {
  /// The shortest spelling that reads back as the same number, `1` for `1.0`; `null` for what JSON cannot
  /// say.
  package func write(to writer: inout JSONWriter) {
    guard isFinite else { return writer.null() }
    let spelling = description
    writer.raw(spelling.hasSuffix(".0") ? spelling.utf8.dropLast(2) : spelling.utf8[...])
  }
}
