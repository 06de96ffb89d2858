extension Payload {
  /// Whether it has a place for decrypted content. An envelope without `aps` has an alert of its own.
  package var takesContent: Bool { enclosure == nil || object["aps"] != nil }

  /// The edits that replace the ciphertext with the decrypted content.
  ///
  /// The content's alert fields replace existing ones. If the existing alert is a string, it
  /// becomes the body. If the content would leave the alert without any text, the existing texts
  /// stay: iOS shows no alert without one.
  /// - Parameter names: the members that hold the ciphertext. They are removed.
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
        edits += alert.edits(setting: fields, removing: spellings(of: displaced))
      } else if !fields.isEmpty {
        let lines = looseLines(of: aps).filter { !displaced.contains($0.name) }
        members.append(("alert", Self.alert(fields, otherwise: lines)))
      }
      edits += aps.edits(setting: members)
    }
    try check(edits, maximumSize: Self.maximumLength)
    return edits
  }
}
