/// A line of the alert. iOS shows the text, or the app's localized text for the key, with arguments.
struct AlertLine {
  let text, key, arguments: String

  static let all = [
    AlertLine(text: "title", key: "title-loc-key", arguments: "title-loc-args"),
    AlertLine(text: "subtitle", key: "subtitle-loc-key", arguments: "subtitle-loc-args"),
    AlertLine(text: "body", key: "loc-key", arguments: "loc-args"),
  ]

  /// The fields to remove because iOS would show them instead of these.
  static func displaced(by names: [String]) -> [String] {
    all.flatMap { line in
      (names.contains(line.text) ? [line.key, line.arguments] : [])
        + (names.contains(line.key) ? [line.text, line.arguments] : [])
    }.filter { !names.contains($0) }
  }
}

extension Payload {
  /// The lines of an alert that is not an object. If the alert is a string, that is the body. Without an alert,
  /// these are the envelope's own lines, which an alert would override.
  /// - Parameter holder: the object with the alert.
  func looseLines(of holder: JSONValue) -> [(name: String, text: JSONValue)] {
    if let alert = holder.given("alert") { return alert.kind == .string ? [("body", alert)] : [] }
    guard let enclosure else { return [] }
    return enclosure.envelope.lines.compactMap { name, way in
      enclosure.message[way].flatMap { $0.spelledText?.isEmpty == false ? (name, $0) : nil }
    }
  }

  /// - Parameter lines: texts for the lines that are missing in `fields`.
  static func alert(
    _ fields: [JSONValue.Setting], otherwise lines: [(name: String, text: JSONValue)]
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      for field in fields { $0.member(field.name, json: field.json) }
      for line in lines where !fields.contains(where: { $0.name == line.name }) {
        $0.name(line.name)
        $0.string(line.text)
      }
    }
    return writer.bytes
  }

  /// The names under which the payload may have these fields of the alert.
  func spellings(of fields: [String]) -> [String] {
    guard enclosure?.envelope.hasCamelCase == true else { return fields }
    return fields
      + fields.map { field in
        let words = field.split(separator: "-")
        return words.prefix(1).joined() + words.dropFirst().map(\.capitalizedASCII).joined()
      }
  }
}

extension Substring {
  fileprivate var capitalizedASCII: String { prefix(1).uppercased() + dropFirst() }
}
