/// Goes through a payload dialect by dialect and keeps what it finds.
struct MediaSearch {
  private let top: JSONPath.Place
  private var found: [Found] = []
  private var urls: Set<[UInt8]> = []

  /// A reference that may not have its identifier yet.
  private struct Found {
    let url: String
    let identifier: String?
    let typeHint: TypeHint?
    let options: AttachmentOptions
    let dialect: String
    let path: String
  }

  init(_ root: JSONValue) { top = JSONPath.Place(value: root, path: "") }

  var isEmpty: Bool { found.isEmpty }

  /// Looks for media of one dialect, at its locations in order until one has some.
  mutating func look(for dialect: Dialect) {
    for location in dialect.locations {
      var hasMedia = false
      location.path.visit(from: top) { place in
        if let found = read(place, location, dialect) {
          hasMedia = true
          if urls.insert(Array(found.url.utf8)).inserted { self.found.append(found) }
        }
      }
      if hasMedia { return }
    }
  }

  /// All that was found, in order. What has no identifier of its own never takes another's.
  var references: [MediaReference] {
    var identifiers = UniqueIdentifiers(reserved: found.compactMap(\.identifier))
    return found.map {
      MediaReference(
        url: $0.url, identifier: identifiers.next($0.identifier), typeHint: $0.typeHint,
        options: $0.options, dialect: $0.dialect, path: $0.path)
    }
  }

  private func read(
    _ place: JSONPath.Place, _ location: Dialect.Location, _ dialect: Dialect
  ) -> Found? {
    guard let url = location.url(at: place), let text = url.value.string, !text.isEmpty else { return nil }
    if dialect.allowsBundledFiles, !Self.isRemote(text) { return nil }
    if value(dialect.lazy, place)?.bool == true { return nil }
    let identifier =
      if case .memberName = dialect.identifier { place.name } else {
        value(dialect.identifier, place)?.string
      }
    let typeHint = value(dialect.typeHint, place)?.string.map(TypeHint.init)
    return Found(
      url: text, identifier: identifier?.isEmpty == true ? nil : identifier, typeHint: typeHint,
      options: options(dialect.options, place, typeHint, identifier), dialect: dialect.name,
      path: url.path)
  }

  /// Has a scheme or a slash, which no file name in an app's bundle has.
  private static func isRemote(_ text: String) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
  }

  /// Each option by itself: one that is wrong is left out, the others count.
  private func options(
    _ fields: Dialect.Options, _ place: JSONPath.Place, _ typeHint: TypeHint?, _ identifier: String?
  ) -> AttachmentOptions {
    var options = AttachmentOptions()
    if let typeHint, typeHint.kind == .uniformTypeIdentifier { options.typeHint = typeHint.text }
    let thumbnail = value(fields.thumbnail, place)?.string
    options.thumbnailHidden =
      value(fields.hidden, place)?.bool ?? thumbnail.flatMap { $0 == identifier ? nil : true }
    options.thumbnailClippingRect = value(fields.clippingRect, place).flatMap(ClippingRect.init)
    options.thumbnailTime = value(fields.time, place)?.number.flatMap { $0 < 0 ? nil : $0 }
    return options
  }

  private func value(_ field: Dialect.Field?, _ place: JSONPath.Place) -> JSONValue? {
    switch field {
    case .here(let path): path.first(from: place)
    case .top(let path): path.first(from: top)
    case .memberName, nil: nil
    }
  }
}
