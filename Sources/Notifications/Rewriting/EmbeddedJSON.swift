/// A string whose text is JSON. Maps a place in that text back to the bytes that spell it. A class,
/// because all places in the text share `origins`, which is computed for the first edit.
final class EmbeddedJSON {
  private let string: JSONValue
  /// The string of JSON that contains this string, if any.
  private let outer: EmbeddedJSON?
  private lazy var origins = JSONEscape.origins(in: string.spelledText ?? [])

  init(_ string: JSONValue, in outer: EmbeddedJSON?) { (self.string, self.outer) = (string, outer) }
  /// This string and those around it, the outermost first.
  var strings: [JSONValue] { (outer?.strings ?? []) + [string] }

  /// Turns an edit of the string's text into an edit of the outermost text.
  func lift(_ edit: JSONEdit) -> JSONEdit {
    let start = Int(origins[edit.range.lowerBound])
    let end = Int(origins[edit.range.upperBound])
    let lifted = JSONEdit(start..<end, JSONEscape.encode(edit.replacement))
    return outer?.lift(lifted) ?? lifted
  }
}
