extension JSONValue {
  /// The value at a path from this one, which may lead through JSON in strings.
  package subscript(key: MediaKey) -> JSONValue? {
    var found: JSONValue?
    JSONPath(key).visit(from: JSONPath.Place(value: self)) { found = $0.value }
    return found
  }
}
