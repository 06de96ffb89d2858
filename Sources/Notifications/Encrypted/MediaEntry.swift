/// A medium as encrypted content names it: a reference, and how the medium itself is encrypted.
///
/// Three shapes: `{"url":…,"enc":{…}}`, an `aesgcm://` URL, and the `file` object of Matrix. `id`, `type` (or
/// `mimetype`) and `options` may be beside them.
package struct MediaEntry: Sendable {
  /// Its URL has no fragment: that may be a key.
  package let reference: MediaReference
  /// The URL's fragment, without the `#`, as it is spelled.
  package let fragment: ArraySlice<UInt8>?
  /// The object that has the URL as `url` or in `file`; nil for a URL alone.
  package let object: JSONValue?

  static func entries(in value: JSONValue, path: String) -> [MediaEntry] {
    var found: [(value: JSONValue, url: JSONValue, path: String)] = []
    let places: [(JSONValue, String)] =
      value.kind == .array
      ? value.elements.enumerated().map { ($0.element, "\(path).\($0.offset)") } : [(value, path)]
    for (place, path) in places {
      if let url = place["file"]?["url"] {
        found.append((place, url, "\(path).file.url"))
      } else if let url = place["url"] {
        found.append((place, url, "\(path).url"))
      } else if place.kind == .string {
        found.append((place, place, path))
      }
    }
    var identifiers = UniqueIdentifiers(reserved: found.compactMap { identifier(of: $0.value) })
    return found.compactMap { value, url, path in
      guard let text = url.spelledText, !text.isEmpty else { return nil }
      let hash = text.firstIndex(of: UInt8(ascii: "#"))
      let address = String(decoding: JSONEscape.decode(text[..<(hash ?? text.endIndex)]), as: UTF8.self)
      guard address.isStreamSafe else { return nil }
      let typeHint = (value.given("type") ?? value["mimetype"])?.string.map(TypeHint.init)
      var options = Dialect.Options.nested.read(from: JSONPath.Place(value: value, path: path))
      options.typeHint = typeHint?.kind == .uniformTypeIdentifier ? typeHint?.text : nil
      return MediaEntry(
        reference: MediaReference(
          url: address, identifier: identifiers.next(identifier(of: value)), typeHint: typeHint,
          options: options,
          dialect: "encrypted content", path: path),
        fragment: hash.map { text[($0 + 1)...] }, object: value.kind == .object ? value : nil)
    }
  }

  private static func identifier(of value: JSONValue) -> String? {
    value["id"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }
}
