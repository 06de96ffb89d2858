/// One `"name": value` of an object.
package struct JSONMember: Sendable {
  /// A value of kind string.
  package let key: JSONValue
  package let value: JSONValue

  /// Empty for one that is not stream-safe, as `JSONValue.string` has it.
  package var name: String { key.string ?? "" }

  /// Compares without escapes: `"\u0061"` is named `a`.
  package func isNamed(_ name: String) -> Bool { key.isString(name) }
}

/// The members of an object, one after the other.
package struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  let document: JSONDocument
  /// Entries of the tape that are still to come.
  var indices: Range<Int>

  package var isEmpty: Bool { indices.isEmpty }

  package mutating func next() -> JSONMember? {
    guard let key = indices.first else { return nil }
    let value = document.index(after: key)
    indices = indices.dropFirst(document.index(after: value) - key)
    return JSONMember(
      key: JSONValue(document: document, index: key),
      value: JSONValue(document: document, index: value))
  }
}

/// The elements of an array, one after the other.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
  let document: JSONDocument
  /// Entries of the tape that are still to come.
  var indices: Range<Int>

  package var isEmpty: Bool { indices.isEmpty }

  package mutating func next() -> JSONValue? {
    guard let element = indices.first else { return nil }
    indices = indices.dropFirst(document.index(after: element) - element)
    return JSONValue(document: document, index: element)
  }
}
