/// A medium that encrypted content names: `{"url":…,"enc":{…}}`, an `aesgcm://` URL, or the `file`
/// object of Matrix. An object may also have `id`, `type` (or `mimetype`) and `options`.
package struct MediaEntry: Sendable {
  /// Its URL omits the fragment, which may be a key.
  package private(set) var reference: MediaReference
  /// The fragment of the URL as spelled, without the `#`.
  package let fragment: ArraySlice<UInt8>?
  /// The object that has the URL; nil if the entry is only a URL.
  package let object: JSONValue?

  private init?(_ value: JSONValue, path: String) {
    let (url, steps) =
      value["file"]?["url"].map { ($0, ".file.url") } ?? value["url"].map { ($0, ".url") } ?? (value, "")
    guard let text = url.spelledText, !text.isEmpty else { return nil }
    let hash = Self.hash(in: text)
    let address = String(
      decoding: JSONEscape.decode(text[..<(hash?.lowerBound ?? text.endIndex)]), as: UTF8.self)
    guard address.isStreamSafe else { return nil }
    fragment = hash.map { text[$0.upperBound...] }
    object = value.kind == .object ? value : nil
    let typeHint = (value.given("type") ?? value["mimetype"])?.string.map(TypeHint.init)
    var options = Dialect.Options.nested.read(from: value)
    options.typeHint = typeHint?.uniformTypeIdentifier
    reference = MediaReference(
      url: address, identifier: value["id"]?.string ?? "", typeHint: typeHint, options: options,
      dialect: "encrypted content", path: path + steps)
  }

  /// Where the fragment starts: a `#`, or the escape for it.
  private static func hash(in text: ArraySlice<UInt8>) -> Range<Int>? {
    var index = text.startIndex
    while index < text.endIndex {
      if text[index] == UInt8(ascii: "#") { return index..<index + 1 }
      if text[index] == UInt8(ascii: "\\") {
        if text[index...].starts(with: #"\u0023"#.utf8) { return index..<index + 6 }
        index += 1
      }
      index += 1
    }
    return nil
  }

  static func entries(in value: JSONValue, path: String, atMost maximum: Int) -> [MediaEntry] {
    var entries: [MediaEntry] = []
    if value.kind == .array {
      for (index, element) in value.elements.enumerated() where entries.count < maximum {
        if let entry = MediaEntry(element, path: "\(path).\(index)") { entries.append(entry) }
      }
    } else if let entry = MediaEntry(value, path: path) {
      entries.append(entry)
    }
    var references = entries.map(\.reference)
    references.makeIdentifiersUnique()
    for index in entries.indices { entries[index].reference = references[index] }
    return entries
  }
}
