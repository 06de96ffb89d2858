extension Payload {
  /// The changes that give the alert the texts which the provider has put beside these media, and `aps` its
  /// sound and category. Texts that are missing or empty stay as they are; localized keys of those that are
  /// replaced go.
  /// - Parameters:
  ///   - references: the media that are attached. The first dialect with texts counts.
  ///   - edits: changes of the same payload. A category that they have changed stays.
  package func applyingTexts(of references: [MediaReference], after edits: [JSONEdit] = []) -> [JSONEdit] {
    guard let aps = alertHolder else { return [] }
    let isChanged = edits.contains { aps.range.contains($0.range.lowerBound) }
    for reference in references {
      guard let texts = dialect(named: reference.dialect)?.texts else { continue }
      var (fields, settings) = first(texts) { (texts.fields(in: $0), texts.settings(in: $0)) }
      if isChanged { settings.removeAll { $0.name == "category" } }
      if !fields.isEmpty || !settings.isEmpty { return alertEdits(setting: fields, and: settings, in: aps) }
    }
    return []
  }

  /// The changes that a provider's SDK makes if it can have no media: its text for that case becomes the body.
  /// - Parameter references: the media that cannot be attached.
  package func applyingSubstitute(for references: [MediaReference]) -> [JSONEdit] {
    guard let aps = alertHolder else { return [] }
    for reference in references {
      guard let texts = dialect(named: reference.dialect)?.texts else { continue }
      let (fields, _) = first(texts) {
        (Dialect.Texts.setting("body", to: texts.substitute.map { [$0] }, in: $0), [])
      }
      if !fields.isEmpty { return alertEdits(setting: fields, in: aps) }
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

  private typealias Settings = (alert: [JSONValue.Setting], aps: [JSONValue.Setting])

  /// What the first object that has any of the texts says.
  private func first(_ texts: Dialect.Texts, _ read: (JSONValue) -> Settings) -> Settings {
    for place in searched + (enclosure.map { [$0.place] } ?? []) {
      var found: Settings = ([], [])
      texts.object.visit(from: place) { object in
        if found.alert.isEmpty && found.aps.isEmpty { found = read(object.value) }
      }
      if !found.alert.isEmpty || !found.aps.isEmpty { return found }
    }
    return ([], [])
  }

  /// The object whose member `alert` is shown, or whose members are its lines; nil if there is none to change.
  private var alertHolder: JSONValue? {
    let holder =
      switch enclosure?.envelope.alertPlace ?? .aps {
      case .aps: object["aps"]
      case .member(let way): enclosure?.message[way]
      case .message: enclosure?.message
      case .languages: nil as JSONValue?
      }
    return holder.flatMap { $0.kind == .object ? $0 : nil }
  }

  /// The changes that set fields of the alert, and other members of `aps`. An alert that is only a text
  /// becomes the body.
  private func alertEdits(
    setting fields: [JSONValue.Setting], and settings: [JSONValue.Setting] = [], in aps: JSONValue
  ) -> [JSONEdit] {
    let settings = settings.map { ($0.name == "category" ? categoryName : $0.name, $0.json) }
    if case .message = enclosure?.envelope.alertPlace { return aps.edits(setting: fields + settings) }
    if fields.isEmpty { return aps.edits(setting: settings) }
    let rest = settings + linesBeside(aps, amongst: fields)
    let displaced = spellings(of: AlertLine.displaced(by: fields.map(\.name)))
    if let alert = aps["alert"], alert.kind == .object {
      return alert.edits(setting: fields, removing: displaced) + aps.edits(setting: rest)
    }
    let alert = Self.alert(fields, otherwise: looseLines(of: aps))
    return aps.edits(setting: [("alert", alert)] + rest)
  }

  private var categoryName: String { enclosure?.envelope.category?.last ?? "category" }

  /// The members beside `alert` that the service shows as the same lines. Nobody says which of the two wins.
  private func linesBeside(_ holder: JSONValue, amongst fields: [JSONValue.Setting]) -> [JSONValue.Setting] {
    guard let envelope = enclosure?.envelope, case .member(let way) = envelope.alertPlace else { return [] }
    return envelope.lines.compactMap { line, place in
      guard place.dropLast().elementsEqual(way), let name = place.last, holder.given(name) != nil,
        let field = fields.first(where: { $0.name == line })
      else { return nil }
      return (name, field.json)
    }
  }
}

extension Dialect.Texts {
  fileprivate func fields(in object: JSONValue) -> [JSONValue.Setting] {
    [("title", title), ("subtitle", subtitle), ("body", body)].flatMap { name, member in
      Self.setting(name, to: member.map { [$0] }, in: object)
    }
  }

  fileprivate func settings(in object: JSONValue) -> [JSONValue.Setting] {
    settings.flatMap { Self.setting($0.name, to: $0.way, in: object) }
  }

  /// - Returns: nothing if there is no text at the end of the way, or an empty one.
  fileprivate static func setting(
    _ name: String, to way: [String]?, in object: JSONValue
  ) -> [JSONValue.Setting] {
    guard let way, let text = object[way]?.utf8, !text.isEmpty else { return [] }
    var writer = JSONWriter()
    writer.string(text)
    return [(name, writer.bytes)]
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
