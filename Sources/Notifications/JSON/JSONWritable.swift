/// A value with one spelling in JSON.
package protocol JSONWritable {
  /// Writes exactly one value.
  func write(to writer: inout JSONWriter)
}

extension String: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.string(utf8) }
}

extension Int: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.raw(String(self).utf8) }
}

extension Bool: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.raw((self ? "true" : "false").utf8) }
}

extension Double: JSONWritable {
  /// The shortest spelling that reads back as the same number, `1` for `1.0`; `null` for infinity and NaN.
  package func write(to writer: inout JSONWriter) {
    guard isFinite else { return writer.raw("null".utf8) }
    let spelling = description
    writer.raw(spelling.hasSuffix(".0") ? spelling.utf8.dropLast(2) : spelling.utf8[...])
  }
}
