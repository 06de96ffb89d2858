extension Payload {
  /// The changes that apply the texts which the provider sent with these media: to the lines of the alert, and
  /// to the sound and category in `aps`. Missing or empty texts change nothing. The localized keys of replaced
  /// texts are removed.
  /// - Parameters:
  ///   - references: the media that are attached. The first dialect with texts counts.
  ///   - edits: earlier changes of the same payload. If they change `aps`, its category stays.
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

  /// The changes that a provider's SDK makes if it has no media to show: its text for that case becomes the body.
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

  /// The settings from the first object that has any of the texts.
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

  /// The object whose member `alert` is shown, or whose members are the alert's lines; nil if none can be changed.
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

  /// The members beside `alert` that the service shows as the same lines. It is not documented which of the two
  /// wins, so both get the text.
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

  /// - Returns: an empty list if the text at the end of the path is missing or empty.
  fileprivate static func setting(
    _ name: String, to way: [String]?, in object: JSONValue
  ) -> [JSONValue.Setting] {
    guard let way, let text = object[way]?.utf8, !text.isEmpty else { return [] }
    var writer = JSONWriter()
    writer.string(text.span)
    return [(name, writer.bytes)]
  }
}

extension MediaReference {
  /// Whether its dialect keeps media in a member of this name at the top of the payload. False for media keys:
  /// a user who names a place for media can also choose another name for the attachments.
  package func isIn(member name: String) -> Bool {
    [Dialect.namespaced, Dialect.flat, Dialect.generic].contains { table in
      table.rows.contains { row in
        row.name == dialect && row.locations.contains { $0.topName == name }
      }
    }
  }
}
