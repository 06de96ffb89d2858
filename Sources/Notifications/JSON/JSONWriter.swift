internal import Supporting

/// Writes compact JSON and adds the commas. The caller writes a name before each member's value.
package struct JSONWriter: Sendable {
  package private(set) var bytes: [UInt8] = []
  /// Whether the next value needs a comma.
  private var isAfterValue: Bool

  /// - Parameters:
  ///   - capacity: in bytes.
  ///   - isAfterValue: whether the text will follow a value and so has to begin with a comma.
  package init(capacity: Int = 0, isAfterValue: Bool = false) {
    self.isAfterValue = isAfterValue
    bytes.reserveCapacity(capacity)
  }

  package mutating func object(_ members: (inout JSONWriter) -> Void) { container("{", "}", members) }

  package mutating func array(_ elements: (inout JSONWriter) -> Void) { container("[", "]", elements) }

  /// Writes the name of a member. Its value has to be written next.
  package mutating func name(_ name: String) {
    append(name.utf8Span.span, isName: true)
    isAfterValue = false
  }

  /// Not generic: most values are strings, and a generic call from another module looks up types.
  package mutating func member(_ name: String, _ value: String) {
    self.name(name)
    string(value.utf8Span.span)
  }

  /// Omits the member if `value` is nil.
  package mutating func member(_ name: String, _ value: (some JSONWritable)?) {
    guard let value else { return }
    self.name(name)
    write(value)
  }

  /// - Parameter json: one value. It is not checked.
  mutating func member(_ name: String, json: [UInt8]) {
    self.name(name)
    raw(json)
  }

  /// Writes an element, the value after a name, or the whole text.
  package mutating func write(_ value: some JSONWritable) { value.write(to: &self) }

  /// - Parameter json: one value. It is not checked.
  package mutating func raw(_ json: some Sequence<UInt8>) {
    beginValue()
    bytes.append(contentsOf: json)
  }

  /// Returns the text, followed by a line break.
  package consuming func line() -> [UInt8] {
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  /// - Parameter text: UTF-8.
  mutating func string(_ text: Span<UInt8>) {
    append(text, isName: false)
    isAfterValue = true
  }

  private mutating func append(_ text: Span<UInt8>, isName: Bool) {
    if JSONEscape.arePlain(text) { return append(escaped: text, isName: isName) }
    let escaped = unsafe text.withUnsafeBufferPointer { unsafe JSONEscape.encode($0) }
    append(escaped: escaped.span, isName: isName)
  }

  /// Appends everything at once. Byte by byte, it takes twice as long.
  private mutating func append(escaped text: Span<UInt8>, isName: Bool) {
    let needsComma = isAfterValue
    bytes.append(addingCapacity: text.count + 4) { output in
      if needsComma { output.append(UInt8(ascii: ",")) }
      output.append(UInt8(ascii: "\""))
      output.append(contentsOf: text)
      output.append(UInt8(ascii: "\""))
      if isName { output.append(UInt8(ascii: ":")) }
    }
  }

  /// A string, with the escapes that it needs. Keeps its spelling if UTF-8 cannot hold its text.
  mutating func string(_ value: JSONValue) {
    let spelled = value.spelledText ?? []
    if JSONEscape.hasLoneSurrogate(spelled) {
      raw(value.document.bytes[value.range])
    } else {
      let text = value.utf8 ?? []
      string(text.span)
    }
  }

  private mutating func container(
    _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ content: (inout JSONWriter) -> Void
  ) {
    beginValue()
    bytes.append(UInt8(ascii: opening))
    isAfterValue = false
    content(&self)
    bytes.append(UInt8(ascii: closing))
    isAfterValue = true
  }

  private mutating func beginValue() {
    if isAfterValue { bytes.append(UInt8(ascii: ",")) }
    isAfterValue = true
  }
}

package protocol JSONWritable {
  /// Writes exactly one value.
  func write(to writer: inout JSONWriter)
}

extension String: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.string(utf8Span.span) }
}

extension Int: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.raw(String(self).utf8) }
}

extension Bool: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.raw((self ? "true" : "false").utf8) }
}

extension Double: JSONWritable {
  /// Writes the shortest spelling, such as `1` for `1.0`. Writes `null` for infinity and NaN.
  package func write(to writer: inout JSONWriter) {
    guard isFinite else { return writer.raw("null".utf8) }
    let spelling = description
    writer.raw(spelling.hasSuffix(".0") ? spelling.utf8.dropLast(2) : spelling.utf8[...])
  }
}
