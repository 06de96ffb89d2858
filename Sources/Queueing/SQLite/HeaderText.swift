internal import Notifications

/// Headers as a JSON object, so that the `sqlite3` shell can read them: `headers ->> 'apns-topic'`. Names may
/// repeat; order is kept.
///
/// Other programs write there too, and SQLite accepts JSON that is not UTF-8: such bytes are kept
/// (`ByteEscapedText`).
enum HeaderText {
  /// Name of the header that holds the whole text if it cannot be parsed.
  static let unreadable = "unreadable-headers"

  static func write(_ headers: [Header]) -> String {
    var writer = JSONWriter()
    writer.object { object in
      for header in headers { object.member(header.name, header.value) }
    }
    return SurrogateEscape.write(String(decoding: writer.bytes, as: UTF8.self))
  }

  /// A number or an object as a value becomes its spelling. Text that is not valid JSON although SQLite
  /// accepts it, as later versions do with JSON5, becomes one header as a whole, so that nothing is lost.
  static func read(_ text: String) -> [Header] {
    if text == "{}" { return [] }
    let bytes = Array(SurrogateEscape.read(text).utf8)
    // SQLite limits the depth.
    guard let document = try? JSONDocument(bytes, maximumDepth: .max, maximumLength: .max),
      document.root.kind == .object
    else { return [Header(unreadable, text)] }
    return document.root.members.map { Header(characters(of: $0.key), characters(of: $0.value)) }
  }

  private static func characters(of value: JSONValue) -> String {
    value.utf8.map { String(decoding: $0, as: UTF8.self) } ?? value.spelling
  }
}
