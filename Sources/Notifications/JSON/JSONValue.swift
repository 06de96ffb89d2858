/// One value of a document. Properties that do not apply to its kind are nil or empty.
package struct JSONValue: Sendable {
  let document: JSONDocument
  let index: Int

  package enum Kind: String, Equatable, Sendable { case object, array, string, number, boolean, null }

  package var kind: Kind {
    switch document.firstByte(at: index) {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
    case UInt8(ascii: "n"): .null
    default: .number
    }
  }

  /// The bytes of the value in the document, including its quotes or brackets.
  package var range: Range<Int> {
    let node = document.nodes[index]
    let link = Int(node.link)
    return Int(node.start)..<(document.isContainer(at: index) ? Int(document.nodes[link].start) + 1 : link)
  }

  /// The value as spelled in the document, such as `1.0e2`.
  package var spelling: String { String(decoding: document.bytes[range], as: UTF8.self) }

  /// The decoded text; nil if it is not stream-safe and comparing it could take seconds. No real
  /// name or URL is like that.
  package var string: String? {
    utf8.map { String(decoding: $0, as: UTF8.self) }.flatMap { $0.isStreamSafe ? $0 : nil }
  }

  /// The decoded text of any string, even one that is not stream-safe.
  package var utf8: ArraySlice<UInt8>? {
    spelledText.map { $0.contains(UInt8(ascii: "\\")) ? JSONEscape.decode($0)[...] : $0 }
  }

  package var bool: Bool? { kind == .boolean ? document.firstByte(at: index) == UInt8(ascii: "t") : nil }

  /// The text of a string as spelled. Read secret keys from it, as they must not become a `String`.
  package var spelledText: ArraySlice<UInt8>? {
    guard kind == .string else { return nil }
    let node = document.nodes[index]
    return document.bytes[Int(node.start) + 1..<Int(node.link) - 1]
  }

  /// The nearest double; nil beyond the range of doubles, such as `1e400`.
  package var number: Double? {
    guard kind == .number else { return nil }
    // Most flags are a single digit.
    if range.count == 1 { return Double(document.firstByte(at: index) - UInt8(ascii: "0")) }
    return Double(spelling).flatMap { $0.isFinite ? $0 : nil }
  }

  /// Nil unless the number is spelled as an integer. `1.0` and `1e3` are not.
  package var integer: Int? { kind == .number ? Int(spelling) : nil }
  package var elements: JSONElements { children(.array) }
  /// All members of an object, including those with the same name.
  package var members: JSONMembers { JSONMembers(children: children(.object)) }

  private func children(_ kind: Kind) -> JSONElements {
    let indices = self.kind == kind ? index + 1..<Int(document.nodes[index].link) : 0..<0
    return JSONElements(document: document, indices: indices)
  }

  /// The value of the last member with that name, which is the one that Foundation and devices use.
  package subscript(name: String) -> JSONValue? {
    document.member(name.utf8Span.span, of: index).map { JSONValue(document: document, index: $0) }
  }

  /// The value of a member; nil also for `null`, which many senders use for a missing value.
  package func given(_ name: String) -> JSONValue? { self[name].flatMap { $0.kind == .null ? nil : $0 } }

  /// An element of an array. Takes linear time.
  package subscript(index: Int) -> JSONValue? {
    index < 0 ? nil : elements.dropFirst(index).first { _ in true }
  }

  func isString(_ text: String) -> Bool { document.isString(text.utf8Span.span, at: index) }
}
