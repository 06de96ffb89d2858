/// One value of a document, to be read only. Nothing is copied until a text is asked for.
///
/// What a value is not, it does not have: `string` of a number is nil, and a number has no `elements`.
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
  package var range: Range<Int> { document.range(at: index) }

  /// The value as it was spelled, for instance `1.0e2`.
  package var spelling: String { String(decoding: document.bytes[range], as: UTF8.self) }

  /// Where the value starts. Counts lines: for messages.
  package var position: JSONPosition { JSONPosition(offset: range.lowerBound, in: document.bytes) }

  /// The text of a string that can be a name, a URL, a word: nil also for one that is not stream-safe, which
  /// nobody writes there and which takes seconds to compare (`isStreamSafe`). Surrogates without their other
  /// half come out as U+FFFD.
  package var string: String? {
    guard let text = utf8.map({ String(decoding: $0, as: UTF8.self) }), text.isStreamSafe else { return nil }
    return text
  }

  /// The text of a string, whatever it is, without its quotes and escapes.
  package var utf8: ArraySlice<UInt8>? {
    spelledText.map { $0.contains(UInt8(ascii: "\\")) ? JSONEscape.decode($0)[...] : $0 }
  }

  package var bool: Bool? {
    kind == .boolean ? document.firstByte(at: index) == UInt8(ascii: "t") : nil
  }

  /// The characters of a string as they are spelled, escapes and all: for what must not become a `String`, a
  /// key.
  package var spelledText: ArraySlice<UInt8>? { document.spelledText(at: index) }

  /// The nearest double; nil also for what is beyond the range of doubles, such as `1e400`.
  package var number: Double? {
    guard kind == .number, let number = Double(spelling), number.isFinite else { return nil }
    return number
  }

  /// A number that is spelled as an integer and fits; `1.0` and `1e3` are none.
  package var integer: Int? { kind == .number ? Int(spelling) : nil }

  /// What an array contains, in order; empty for anything else.
  package var elements: JSONElements {
    JSONElements(document: document, indices: kind == .array ? document.children(of: index) : 0..<0)
  }

  /// What an object contains, in order, members of the same name included; empty for anything else.
  package var members: JSONMembers {
    JSONMembers(document: document, indices: kind == .object ? document.children(of: index) : 0..<0)
  }

  /// The value of a member. Of several members of that name the last counts, as in Foundation and on the
  /// device.
  package subscript(name: String) -> JSONValue? {
    document.member(name.utf8Span.span, of: index).map { JSONValue(document: document, index: $0) }
  }

  /// The value of a member that has one: `null` is how many senders write that something is not there.
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
