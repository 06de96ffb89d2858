/// A string whose text is JSON: the way back from a place in that text to the bytes that spell it.
///
/// A class, because all places in the text share what is worked out for the first that is changed.
final class EmbeddedJSON {
  private let string: JSONValue
  /// What the string itself is in; nil where that is the whole text.
  private let outer: EmbeddedJSON?
  private lazy var origins = JSONEscape.origins(in: string.spelledText ?? [])

  /// - Parameter string: one whose text has been read as a document.
  init(_ string: JSONValue, in outer: EmbeddedJSON?) {
    self.string = string
    self.outer = outer
  }

  /// What `edit` of the string's text is for the whole text. Escapes outside of it stay as they are spelled.
  func lift(_ edit: JSONEdit) -> JSONEdit {
    let start = Int(origins[edit.range.lowerBound])
    let end = Int(origins[edit.range.upperBound])
    let lifted = JSONEdit(start..<end, JSONEscape.encode(edit.replacement))
    return outer?.lift(lifted) ?? lifted
  }
}

extension JSONPath.Place {
  /// The change of the whole text that gives the string here another text.
  /// - Parameter text: UTF-8.
  func edit(to text: [UInt8]) -> JSONEdit {
    let range = value.range.lowerBound + 1..<value.range.upperBound - 1
    let edit = JSONEdit(range, JSONEscape.encode(text))
    return embedding?.lift(edit) ?? edit
  }
}
