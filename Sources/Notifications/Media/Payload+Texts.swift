extension Payload {
  /// The changes that give the alert the texts which the provider has put beside these media. Texts that are
  /// missing or empty stay as they are; localised keys of those that are replaced go.
  /// - Parameter references: the media that are attached. The first dialect with texts counts.
  package func applyingTexts(of references: [MediaReference]) -> [JSONEdit] {
    guard let aps = alertHolder else { return [] }
    for reference in references {
      guard let texts = dialect(named: reference.dialect)?.texts else { continue }
      let fields = self.fields(texts)
      if !fields.isEmpty {
        return alertEdits(setting: fields, removing: AlertLine.displaced(by: fields.map(\.name)), in: aps)
      }
    }
    return []
  }

  /// The changes that a provider's SDK makes if it attaches the spare, such as Swrve's other deep link.
  package func applyingSpares(among references: [MediaReference]) -> [JSONEdit] {
    for reference in references where reference.spareFor != nil {
      guard let setting = dialect(named: reference.dialect)?.spareSetting, let value = object[setting.way],
        value.kind == .string
      else { continue }
      return object.edits(setting: [(setting.name, Array(value.spelling.utf8))])
    }
    return []
  }

  private func dialect(named name: String) -> Dialect? {
    let tables = [Dialect.own, Dialect.namespaced, Dialect.flat, Dialect.generic]
    let rows = tables.flatMap(\.rows) + (enclosure?.envelope.media.rows ?? [])
    return rows.first { $0.name == name }
  }

  private func fields(_ texts: Dialect.Texts) -> [JSONValue.Setting] {
    let names = [("title", texts.title), ("subtitle", texts.subtitle), ("body", texts.body)]
    for place in searched + (enclosure.map { [$0.place] } ?? []) {
      var fields: [JSONValue.Setting] = []
      texts.object.visit(from: place) { object in
        guard fields.isEmpty else { return }
        for (name, member) in names {
          guard let text = member.flatMap({ object.value[$0] })?.utf8, !text.isEmpty else { continue }
          var writer = JSONWriter()
          writer.string(text)
          fields.append((name, writer.bytes))
        }
      }
      if !fields.isEmpty { return fields }
    }
    return []
  }

  /// The object whose member `alert` is shown: `aps`, or what stands for it in the envelope.
  private var alertHolder: JSONValue? {
    if let way = enclosure?.envelope.alertHolder { return enclosure?.message[way] }
    return object["aps"].flatMap { $0.kind == .object ? $0 : nil }
  }

  /// The changes that set fields of the alert. An alert that is only a text becomes the body.
  func alertEdits(
    setting fields: [JSONValue.Setting], removing displaced: [String], in aps: JSONValue
  ) -> [JSONEdit] {
    if let alert = aps["alert"], alert.kind == .object {
      return alert.edits(setting: fields, removing: displaced)
    }
    let body =
      displaced.contains("body") ? nil : aps["alert"].flatMap { $0.kind == .string ? $0 : nil }
    return fields.isEmpty ? [] : aps.edits(setting: [("alert", Self.alert(fields, body: body))])
  }
}

extension MediaReference {
  /// Whether its dialect keeps media in a member of this name at the top of the payload. Not so of the places
  /// that the user names: those who know the place can name another one.
  package func isIn(member name: String) -> Bool {
    [Dialect.namespaced, Dialect.flat, Dialect.generic].contains { table in
      table.rows.contains { row in
        row.name == dialect && row.locations.contains { $0.topName == name }
      }
    }
  }
}
