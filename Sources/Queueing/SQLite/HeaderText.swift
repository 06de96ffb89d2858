internal import Notifications

/// Headers as a JSON object, so that the `sqlite3` shell can read them: `headers ->> 'apns-topic'`. Names may repeat; their order counts.
///
/// Other programs write there too, and SQLite takes for JSON what no UTF-8 is: such bytes stay as they are (`ByteEscapedText`).
enum HeaderText {
  /// The name of a header that holds all of a text that cannot be taken apart.
  static let unreadable = "unreadable-headers"

  static func write(_ headers: [Header]) -> String {
    var writer = JSONWriter()
    writer.object { object in
      for header in headers { object.member(header.name, header.value) }
    }
    return SurrogateEscape.write(String(decoding: writer.bytes, as: UTF8.self))
  }

  /// A value that a person wrote as a number, or as an object, reads as it is spelled. What is no JSON although SQLite takes it, as later
  /// versions do with JSON5, comes whole, in a header of its own: nothing is lost.
  static func read(_ text: String) -> [Header] {
    if text == "{}" { return [] }
    let bytes = Array(SurrogateEscape.read(text).utf8)
    // SQLite sees to the depth.
    guard let document = try? JSONDocument(bytes, maximumDepth: .max, maximumLength: .max),
      document.root.kind == .object
    else { return [Header(unreadable, text)] }
    return document.root.members.map { Header(characters(of: $0.key), characters(of: $0.value)) }
  }

  private static func characters(of value: JSONValue) -> String {
    value.utf8.map { String(decoding: $0, as: UTF8.self) } ?? value.spelling
  }
}
