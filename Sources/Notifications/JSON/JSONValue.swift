/// One value of a document, to be read only. Nothing is copied until a text is asked for.
///
/// A property of another kind is nil or empty: a number has no `string` and no `elements`.
package struct JSONValue: Sendable {
  let document: JSONDocument
  let index: Int

  package enum Kind: String, Equatable, Sendable {
    case object, array, string, number, boolean, null
  }

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

  /// The bytes that the value takes in the document, quotes or brackets included.
  package var range: Range<Int> {
    let node = document.nodes[index]
    let link = Int(node.link)
    return Int(node.start)..<(document.isContainer(at: index) ? Int(document.nodes[link].start) + 1 : link)
  }

  /// The value as it was spelled, for instance `1.0e2`.
  package var spelling: String { String(decoding: document.bytes[range], as: UTF8.self) }

  /// The text of a string that can be a name, a URL, a word. Nil also for a text that is not stream-safe:
  /// nobody writes one there, and it takes seconds to compare. Surrogates without their other half come out
  /// as U+FFFD.
  package var string: String? {
    guard let text = utf8.map({ String(decoding: $0, as: UTF8.self) }), text.isStreamSafe else { return nil }
    return text
  }

  /// The text of any string, without its quotes and escapes.
  package var utf8: ArraySlice<UInt8>? {
    spelledText.map { $0.contains(UInt8(ascii: "\\")) ? JSONEscape.decode($0)[...] : $0 }
  }

  package var bool: Bool? {
    kind == .boolean ? document.firstByte(at: index) == UInt8(ascii: "t") : nil
  }

  /// The characters of a string as they are spelled, escapes and all: for a key, which must not become a
  /// `String`.
  package var spelledText: ArraySlice<UInt8>? {
    kind == .string ? document.bytes[range].dropFirst().dropLast() : nil
  }

  /// The nearest double; nil also beyond the range of doubles, such as `1e400`.
  package var number: Double? {
    guard kind == .number, let number = Double(spelling), number.isFinite else { return nil }
    return number
  }

  /// A number that is spelled as an integer and fits; nil for `1.0` and `1e3`.
  package var integer: Int? { kind == .number ? Int(spelling) : nil }

  /// The elements of an array, in order.
  package var elements: JSONElements { children(.array) }

  /// The members of an object, in order, members of the same name included.
  package var members: JSONMembers { JSONMembers(children: children(.object)) }

  private func children(_ kind: Kind) -> JSONElements {
    let indices = self.kind == kind ? index + 1..<Int(document.nodes[index].link) : 0..<0
    return JSONElements(document: document, indices: indices)
  }

  /// The value of a member. Of several members of that name the last counts, as in Foundation and on the
  /// device.
  package subscript(name: String) -> JSONValue? {
    document.member(name.utf8Span.span, of: index).map { JSONValue(document: document, index: $0) }
  }

  /// The value of a member; nil also for `null`, by which many senders say that there is none.
  package func given(_ name: String) -> JSONValue? {
    self[name].flatMap { $0.kind == .null ? nil : $0 }
  }

  /// The element of an array at a place counted from 0. Walks there.
  package subscript(index: Int) -> JSONValue? {
    index < 0 ? nil : elements.dropFirst(index).first { _ in true }
  }

  /// Byte for byte.
  func isString(_ text: String) -> Bool { document.isString(text.utf8Span.span, at: index) }
}
