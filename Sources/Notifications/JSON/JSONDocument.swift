/// A JSON text (RFC 8259), checked and indexed. Each value knows its bytes, so an edit leaves all others alone.
package final class JSONDocument: Sendable {
  package let bytes: [UInt8]
  /// The tape. Its first entry is the root.
  let nodes: [JSONNode]

  /// Reads a whole text: one value, perhaps with white space around it, in UTF-8 without a BOM.
  package init(_ bytes: [UInt8], maximumDepth: Int = 128, maximumLength: Int = 1_048_576) throws(JSONError) {
    let maximum = min(maximumLength, Int(UInt32.max))
    guard bytes.count <= maximum else { throw .tooLong(length: bytes.count, maximum: maximum) }
    var parser = JSONParser(bytes, maximumDepth: maximumDepth)
    (nodes, self.bytes) = (try parser.parse(), bytes)
  }

  package var root: JSONValue { JSONValue(document: self, index: 0) }

  /// The first byte of a value tells its kind.
  func firstByte(at index: Int) -> UInt8 { bytes[Int(nodes[index].start)] }

  func isContainer(at index: Int) -> Bool {
    let byte = firstByte(at: index)
    return byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
  }

  /// Whether a value is a string with these bytes. As a `String`, a decomposed `é` would equal a composed one.
  func isString(_ text: Span<UInt8>, at index: Int) -> Bool {
    let node = nodes[index]
    let (start, end) = (Int(node.start) + 1, Int(node.link) - 1)
    // No escape is shorter than its text.
    guard end - start >= text.count, bytes[start - 1] == UInt8(ascii: "\"") else { return false }
    for offset in text.indices {
      let byte = bytes[start + offset]
      if byte == UInt8(ascii: "\\") {
        let decoded = JSONEscape.decode(bytes[start..<end])
        return decoded.count == text.count && text.indices.allSatisfy { decoded[$0] == text[$0] }
      }
      if byte != text[offset] { return false }
    }
    return end - start == text.count
  }

  /// The index of the value of the last member with this name.
  func member(_ name: Span<UInt8>, of index: Int) -> Int? {
    guard firstByte(at: index) == UInt8(ascii: "{") else { return nil }
    var value: Int?
    var key = index + 1
    while key < Int(nodes[index].link) {
      if isString(name, at: key) { value = key + 1 }
      key = self.index(after: key + 1)
    }
    return value
  }

  /// The index of the entry after a value and everything in it.
  func index(after index: Int) -> Int { isContainer(at: index) ? Int(nodes[index].link) + 1 : index + 1 }
}

/// One entry of a document's tape, which lists the values in the order of the text. An entry is
/// eight bytes, so the tape of the densest text (`[1,1,1…`) is four times as long as the text.
///
/// A scalar takes one entry. An array or object takes one for each bracket, with its children in
/// between. In an object, names and values alternate. The byte at `start` tells the kind of value.
struct JSONNode: Sendable {
  /// The offset of the first byte of the value, or of the closing bracket.
  var start: UInt32
  /// For a scalar, the offset after its last byte. For a bracket, the entry of its counterpart.
  var link: UInt32

  /// `JSONDocument` limits the length of the text, so both values fit.
  init(start: Int, link: Int) {
    self.start = UInt32(truncatingIfNeeded: start)
    self.link = UInt32(truncatingIfNeeded: link)
  }
}
