internal import Supporting

/// A few words of a stranger's text for a message: on one line, and printable.
enum Excerpt {
  /// A longer text is cut.
  private static let maximum = 48

  /// Returns nil if nothing can be shown.
  static func of(_ bytes: ArraySlice<UInt8>) -> String? {
    // A character has at most four bytes, and its name in HTML six.
    let text = entities.reduce(String(decoding: bytes.prefix(6 * maximum), as: UTF8.self)) {
      $0.replacing($1.key, with: $1.value)
    }
    let words = text.unicodeScalars.split { $0.properties.isWhitespace }
    let line = words.map { String(String.UnicodeScalarView($0.filter(\.isPrintable))) }
      .filter { !$0.isEmpty }.joined(separator: " ")
    if line.isEmpty { return nil }
    let scalars = line.unicodeScalars
    if scalars.count <= maximum { return line }
    return String(String.UnicodeScalarView(scalars.prefix(maximum - 1))) + "…"
  }

  /// The ampersand comes last, so that it is replaced only once.
  private static let entities: KeyValuePairs = [
    "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&nbsp;": " ", "&amp;": "&",
  ]
}
