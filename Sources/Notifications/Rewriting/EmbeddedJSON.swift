/// A string whose text is JSON: the way back from a place in the text to the bytes that spell it. A class,
/// because all places in the text share `origins`, which the first change works out.
final class EmbeddedJSON {
  private let string: JSONValue
  /// The string around this one.
  private let outer: EmbeddedJSON?
  private lazy var origins = JSONEscape.origins(in: string.spelledText ?? [])

  init(_ string: JSONValue, in outer: EmbeddedJSON?) { (self.string, self.outer) = (string, outer) }
  /// The outermost first.
  var strings: [JSONValue] { (outer?.strings ?? []) + [string] }

  /// Turns a change of the string's text into one of the outermost text.
  func lift(_ edit: JSONEdit) -> JSONEdit {
    let start = Int(origins[edit.range.lowerBound])
    let end = Int(origins[edit.range.upperBound])
    let lifted = JSONEdit(start..<end, JSONEscape.encode(edit.replacement))
    return outer?.lift(lifted) ?? lifted
  }
}
