extension JSONPath.Place {
  /// Why there is no object at a place that may have JSON in strings. The text of a mistake is decoded
  /// before its lines and columns are counted.
  var noObject: EnvelopeError {
    guard value.kind == .string, let text = value.utf8 else { return .notAnObject(place: path, value.kind) }
    do throws(JSONError) {
      _ = try JSONDocument([UInt8](text), maximumDepth: Payload.maximumDepth)
      return .tooManyStrings(place: path)
    } catch {
      return .notJSON(place: path, error)
    }
  }
}

extension JSONValue.Kind {
  /// As part of a sentence.
  package var words: String {
    switch self {
    case .object: "an object"
    case .array: "a list"
    case .string: "a string"
    case .number: "a number"
    case .boolean: "true or false"
    case .null: "null"
    }
  }
}
