internal import Notifications

/// Headers as a JSON object, so that the `sqlite3` shell can read them: `headers ->> 'apns-topic'`. Names may repeat; their order counts.
enum HeaderText {
  static func write(_ headers: [Header]) -> String {
    var writer = JSONWriter()
    writer.object { object in
      for header in headers { object.member(header.name, header.value) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Nothing for what is no object, which the table does not take. A value that a person wrote as a number reads as it is spelled.
  static func read(_ text: [UInt8]) -> [Header] {
    if text == Array("{}".utf8) { return [] }
    guard let document = try? JSONDocument(text, maximumLength: .max) else { return [] }
    return document.root.members.map { Header($0.name, $0.value.string ?? $0.value.spelling) }
  }
}
