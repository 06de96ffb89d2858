/// Finds texts in the XML that AWS's services answer. Their elements have different names, so their places do
/// not matter.
struct XMLText {
  private let text: String

  init(_ bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }

  /// The text of the first element with this name. Nil if it is missing or cut off, or contains other
  /// elements.
  subscript(name: String) -> String? {
    guard let start = text.firstRange(of: "<\(name)>"),
      let end = text[start.upperBound...].firstRange(of: "</\(name)>")
    else { return nil }
    let inner = text[start.upperBound..<end.lowerBound]
    if inner.utf8.contains(UInt8(ascii: "<")) { return nil }
    // `&amp;` comes last, so that `&amp;lt;` becomes `&lt;`.
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
    return entities.reduce(String(inner)) { $0.replacing($1.0, with: $1.1) }
  }
}
