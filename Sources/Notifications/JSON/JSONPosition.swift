/// Where in a JSON text something stands.
package struct JSONPosition: Equatable, Sendable, CustomStringConvertible {
  /// Bytes before it: 0 is the first byte.
  package let offset: Int
  /// Lines are ended by LF, the first is 1.
  package let line: Int
  /// Characters (Unicode scalars) from the start of the line, the first is 1.
  package let column: Int

  package init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// Counts lines and columns, which nobody keeps while all goes well.
  init(offset: Int, in bytes: [UInt8]) {
    var line = 1
    var column = 1
    for byte in bytes.prefix(max(0, offset)) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0b1100_0000 != 0b1000_0000 {
        column += 1
      }
    }
    self.init(offset: offset, line: line, column: column)
  }

  package var description: String { "line \(line), column \(column) (byte \(offset))" }
}
