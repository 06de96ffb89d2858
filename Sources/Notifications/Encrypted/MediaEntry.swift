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

  /// A place that names a medium, before the media have their identifiers.
  private struct Found {
    let value: JSONValue
    let path: String
    let address: String
    let fragment: ArraySlice<UInt8>?

    /// - Returns: nil where nothing is named.
    init?(_ value: JSONValue, path: String) {
      let (url, steps) =
        if let url = value["file"]?["url"] {
          (url, ".file.url")
        } else if let url = value["url"] {
          (url, ".url")
        } else {
          (value, "")
        }
      guard let text = url.spelledText, !text.isEmpty else { return nil }
      let hash = text.firstIndex(of: UInt8(ascii: "#"))
      address = String(decoding: JSONEscape.decode(text[..<(hash ?? text.endIndex)]), as: UTF8.self)
      guard address.isStreamSafe else { return nil }
      fragment = hash.map { text[($0 + 1)...] }
      self.value = value
      self.path = path + steps
    }
  }

  static func entries(in value: JSONValue, path: String, atMost maximum: Int) -> [MediaEntry] {
    var found: [Found] = []
    if value.kind == .array {
      for (index, element) in value.elements.enumerated() where found.count < maximum {
        if let one = Found(element, path: "\(path).\(index)") { found.append(one) }
      }
    } else if let one = Found(value, path: path) {
      found.append(one)
    }
    var identifiers = UniqueIdentifiers(reserved: found.compactMap { identifier(of: $0.value) })
    return found.map { found in
      let value = found.value
      let typeHint = (value.given("type") ?? value["mimetype"])?.string.map(TypeHint.init)
      var options = Dialect.Options.nested.read(from: JSONPath.Place(value: value, path: found.path))
      options.typeHint = typeHint?.kind == .uniformTypeIdentifier ? typeHint?.text : nil
      return MediaEntry(
        reference: MediaReference(
          url: found.address, identifier: identifiers.next(identifier(of: value)), typeHint: typeHint,
          options: options, dialect: "encrypted content", path: found.path),
        fragment: found.fragment, object: value.kind == .object ? value : nil)
    }
  }

  private static func identifier(of value: JSONValue) -> String? {
    value["id"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }
}
