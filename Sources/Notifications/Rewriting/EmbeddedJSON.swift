/// A string whose text is JSON. Maps a place in that text back to the bytes that spell it. A class,
/// because all places in the text share `origins`, which is computed for the first edit.
final class EmbeddedJSON {
  private let string: JSONValue
  /// The string of JSON that contains this string, if any.
  private let outer: EmbeddedJSON?
  /// A byte that is taken out of the text before it is read.
  private let stripped: UInt8?
  private lazy var origins = JSONEscape.origins(in: string.spelledText ?? [])
  /// The indices of the bytes that are left; nil if all are.
  private lazy var kept: [Int]? = stripped.flatMap { stripped in
    string.utf8.map { text in Array(text).enumerated().filter { $0.element != stripped }.map(\.offset) }
  }

  init(_ string: JSONValue, in outer: EmbeddedJSON?, without stripped: UInt8? = nil) {
    (self.string, self.outer, self.stripped) = (string, outer, stripped)
  }
  /// The outermost first.
  var strings: [JSONValue] { (outer?.strings ?? []) + [string] }

  /// Turns an edit of the string's text into an edit of the outermost text.
  func lift(_ edit: JSONEdit) -> JSONEdit {
    var range = edit.range
    // Bytes that were taken out before and after the change stay.
    if let kept, !range.isEmpty { range = kept[range.lowerBound]..<kept[range.upperBound - 1] + 1 }
    let start = Int(origins[range.lowerBound])
    let end = Int(origins[range.upperBound])
    let lifted = JSONEdit(start..<end, JSONEscape.encode(edit.replacement))
    return outer?.lift(lifted) ?? lifted
  }
}
