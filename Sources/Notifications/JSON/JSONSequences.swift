package struct JSONElements: Sequence, IteratorProtocol, Sendable {
  let document: JSONDocument
  /// The entries of the tape that are left.
  var indices: Range<Int>

  package mutating func next() -> JSONValue? {
    guard let element = indices.first else { return nil }
    indices = document.index(after: element)..<indices.upperBound
    return JSONValue(document: document, index: element)
  }
}

package struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  /// Names and values alternate.
  var children: JSONElements

  package mutating func next() -> JSONMember? {
    guard let key = children.next(), let value = children.next() else { return nil }
    return JSONMember(key: key, value: value)
  }
}

/// One `"name": value` of an object.
package struct JSONMember: Sendable {
  /// A string.
  package let key: JSONValue
  package let value: JSONValue

  /// Empty if the name is not stream-safe: see `JSONValue.string`.
  package var name: String { key.string ?? "" }
  /// Compares the decoded name: `"\u0061"` is named `a`.
  package func isNamed(_ name: String) -> Bool { key.isString(name) }
}
