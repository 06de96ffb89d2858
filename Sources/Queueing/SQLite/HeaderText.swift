internal import Notifications

/// Headers as a JSON object, so that the `sqlite3` shell can read them: `headers ->> 'apns-topic'`.
/// Names may repeat, and order is kept. Bytes need not be UTF-8 (`ByteEscapedText`).
enum HeaderText {
  static func write(_ headers: [Header]) -> String {
    var writer = JSONWriter()
    writer.object { object in
      for header in headers { object.member(header.name, header.value) }
    }
    return SurrogateEscape.write(String(decoding: writer.bytes, as: UTF8.self))
  }

  /// Numbers and objects become their JSON text. JSON5, which SQLite reads, becomes one header.
  static func read(_ text: String) -> [Header] {
    if text == "{}" { return [] }
    // No limit on the depth is needed: SQLite has one.
    let document = try? JSONDocument(
      Array(SurrogateEscape.read(text).utf8), maximumDepth: .max, maximumLength: .max)
    guard let document, document.root.kind == .object else { return [Header("unreadable-headers", text)] }
    return document.root.members.map { Header(characters(of: $0.key), characters(of: $0.value)) }
  }

  private static func characters(of value: JSONValue) -> String {
    value.utf8.map { String(decoding: $0, as: UTF8.self) } ?? value.spelling
  }
}
