extension Payload {
  /// The payload with decrypted content instead of the ciphertext.
  ///
  /// Fields of the alert replace existing ones; an alert that is only a text becomes the body of one that has
  /// fields. If the content has no text, as for a picture alone, the existing texts stay: iOS shows no alert
  /// without one.
  /// - Parameter names: members of the top object that hold the ciphertext, which are removed.
  /// - Throws: `PayloadError` if it is longer than a payload may be.
  package func disclosing(
    _ content: PlainContent, insteadOf names: Set<String>
  ) throws(PayloadError) -> Payload {
    let disclosed = try replacing(with: content, names)
    return disclosed.showsAlert ? disclosed : try replacing(with: content.withoutTexts, names)
  }

  private func replacing(
    with content: PlainContent, _ names: Set<String>
  ) throws(PayloadError) -> Payload {
    var edits = root.edits(setting: [], removing: names)
    guard let aps = root["aps"] else { return try applying(edits) }
    var members = content.members
    let fields = content.alert
    if !fields.isEmpty {
      if let alert = aps["alert"], alert.kind == .object {
        edits += alert.edits(setting: fields, removing: content.displaced)
      } else {
        members.append(("alert", Self.alert(fields, insteadOf: aps["alert"], displaced: content.displaced)))
      }
    }
    return try applying(edits + aps.edits(setting: members))
  }

  /// The length is judged before the text is made: an object may have thousands of members of one name, and
  /// each would get the new value.
  private func applying(_ edits: [JSONEdit]) throws(PayloadError) -> Payload {
    let length = document.length(after: edits)
    guard length <= Self.maximumLength else {
      throw .notJSON(.tooLong(length: length, maximum: Self.maximumLength))
    }
    let sorted = edits.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    return try Payload(document.applying(sorted))
  }

  private static func alert(
    _ fields: [(name: String, json: [UInt8])], insteadOf old: JSONValue?, displaced: Set<String>
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      for field in fields {
        $0.name(field.name)
        $0.raw(field.json)
      }
      if !displaced.contains("body"), !fields.contains(where: { $0.name == "body" }) {
        if let text = old?.utf8 {
          $0.name("body")
          $0.string(text)
        }
      }
    }
    return writer.bytes
  }
}
