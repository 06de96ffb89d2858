/// A string whose text is JSON: the way back from a place in that text to the bytes that spell it.
///
/// A class, because the places in the text share `origins`, which the first change works out.
final class EmbeddedJSON {
  private let string: JSONValue
  /// The text that the string itself is in; nil if that is the text from which the way began.
  private let outer: EmbeddedJSON?
  private lazy var origins = JSONEscape.origins(in: string.spelledText ?? [])

  /// - Parameter string: one whose text has been read as a document.
  init(_ string: JSONValue, in outer: EmbeddedJSON?) {
    self.string = string
    self.outer = outer
  }

  /// All strings on the way, the outermost first.
  var strings: [JSONValue] { (outer?.strings ?? []) + [string] }

  /// Turns a change of the string's text into one of the outermost text. Escapes outside of it stay as they
  /// are spelled.
  func lift(_ edit: JSONEdit) -> JSONEdit {
    let start = Int(origins[edit.range.lowerBound])
    let end = Int(origins[edit.range.upperBound])
    let lifted = JSONEdit(start..<end, JSONEscape.encode(edit.replacement))
    return outer?.lift(lifted) ?? lifted
  }
}
