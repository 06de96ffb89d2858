extension Payload {
  /// The changes that put decrypted content in the place of the ciphertext.
  ///
  /// Fields of the alert replace existing ones. An alert that is only a text becomes the body. If the content
  /// has no text, as for a picture alone, the existing texts stay: iOS shows no alert without one.
  /// - Parameter names: members that hold the ciphertext. They are removed.
  /// - Throws: `RewritingError.tooLarge`.
  package func disclosing(
    _ content: PlainContent, insteadOf names: [String]
  ) throws(RewritingError) -> [JSONEdit] {
    var edits = object.edits(setting: [], removing: names)
    if let aps = object["aps"], aps.kind == .object {
      let content = showsAlert(with: content) ? content : content.withoutTexts
      var members = content.members
      let (fields, displaced) = (content.alert, content.displaced)
      if let alert = aps["alert"], alert.kind == .object {
        edits += alert.edits(setting: fields, removing: displaced)
      } else if !fields.isEmpty {
        let body = displaced.contains("body") ? nil : aps["alert"]?.utf8
        members.append(("alert", Self.alert(fields, body: body)))
      }
      edits += aps.edits(setting: members)
    }
    try check(edits, maximumSize: Self.maximumLength)
    return edits
  }

  /// - Parameter body: the text if `fields` have none.
  private static func alert(_ fields: [JSONValue.Setting], body: ArraySlice<UInt8>?) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      for field in fields { $0.member(field.name, json: field.json) }
      if let body, !fields.contains(where: { $0.name == "body" }) {
        $0.name("body")
        $0.string(body)
      }
    }
    return writer.bytes
  }
}
