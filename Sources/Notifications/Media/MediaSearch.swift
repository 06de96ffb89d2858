/// Goes through a payload dialect by dialect and keeps what it finds. Not copyable: a closure that is called
/// for each place would take a copy.
struct MediaSearch: ~Copyable {
  private let top: JSONPath.Place
  private var found: [Found] = []
  /// The URLs of all but the first of them: most payloads have one.
  private var furtherURLs: Set<[UInt8]> = []
  private let maximum: Int
  private let replacements: [[UInt8]: [UInt8]]
  /// In the order in which they were found; a place may be among them twice.
  private(set) var replaced: [Replaced] = []

  /// A place whose URL is to be replaced.
  struct Replaced {
    let url: [UInt8]
    let path: String
    /// The edit of the whole text.
    let edit: JSONEdit
  }

  /// A reference that may not have its identifier yet.
  private struct Found {
    let url: String
    let identifier: String?
    let typeHint: TypeHint?
    let options: AttachmentOptions
    let dialect: String
    let path: String
    let coding: MediaCoding?

    func reference(identifier: String) -> MediaReference {
      MediaReference(
        url: url, identifier: identifier, typeHint: typeHint, options: options, dialect: dialect, path: path,
        coding: coding)
    }
  }

  /// What all media of a dialect share.
  private struct Shared {
    let options: AttachmentOptions
    let thumbnail: String?

    func hides(_ identifier: String?) -> Bool? {
      thumbnail == nil || thumbnail == identifier ? nil : true
    }
  }

  /// - Parameters:
  ///   - maximum: how many URLs to find at most.
  ///   - replacements: new URLs by the old ones, both as UTF-8.
  init(_ root: JSONValue, atMost maximum: Int, replacing replacements: [[UInt8]: [UInt8]]) {
    top = JSONPath.Place(value: root, path: "")
    self.maximum = maximum
    self.replacements = replacements
  }

  var isEmpty: Bool { found.isEmpty }

  /// Looks for media of one dialect, at its locations in order until one has some.
  mutating func look(for dialect: Dialect) {
    // Once, not for each medium: a payload with thousands of media and of other members would take seconds.
    let shared = Shared(
      options: dialect.sharedOptions.read(from: top),
      thumbnail: dialect.thumbnail?.first(from: top)?.string)
    for location in dialect.locations {
      var hasMedia = false
      location.path.visit(from: top) { place in
        if self.found.count < maximum, let url = location.url(at: place),
          let found = Self.read(place, url, dialect, shared)
        {
          hasMedia = true
          // The encryption given beside the old URL would be wrong of the new one.
          if !replacements.isEmpty, found.coding == nil {
            let text = Array(found.url.utf8)
            if let replacement = replacements[text] {
              replaced.append(Replaced(url: text, path: url.path, edit: url.edit(to: replacement)))
            }
          }
          if isNew(found.url) { self.found.append(found) }
        }
      }
      if hasMedia { return }
    }
  }

  /// Whether no medium has this URL yet. Byte for byte, as in `JSONDocument.isString`.
  private mutating func isNew(_ url: String) -> Bool {
    guard let first = found.first else { return true }
    return !first.url.utf8.elementsEqual(url.utf8) && furtherURLs.insert(Array(url.utf8)).inserted
  }

  /// All that was found, in order. A medium without an identifier never gets that of another.
  var references: [MediaReference] {
    // One alone is unique, without the tables that show it.
    guard found.count != 1 else {
      return [found[0].reference(identifier: found[0].identifier ?? UniqueIdentifiers.standard)]
    }
    var identifiers = UniqueIdentifiers(reserved: found.compactMap(\.identifier))
    return found.map { $0.reference(identifier: identifiers.next($0.identifier)) }
  }

  private static func read(
    _ place: JSONPath.Place, _ url: JSONPath.Place, _ dialect: Dialect, _ shared: Shared
  ) -> Found? {
    guard let text = url.value.string, !text.isEmpty else { return nil }
    if dialect.allowsBundledFiles, !isRemote(text) { return nil }
    if dialect.lazy?.first(from: place)?.bool == true { return nil }
    let identifier = identifier(of: place, dialect)
    let typeHint = dialect.typeHint?.first(from: place)?.string.map(TypeHint.init)
    var options = dialect.options.read(from: place)
    options.typeHint = typeHint?.kind == .uniformTypeIdentifier ? typeHint?.text : nil
    options.thumbnailHidden =
      options.thumbnailHidden ?? shared.options.thumbnailHidden ?? shared.hides(identifier)
    options.thumbnailClippingRect = options.thumbnailClippingRect ?? shared.options.thumbnailClippingRect
    options.thumbnailTime = options.thumbnailTime ?? shared.options.thumbnailTime
    return Found(
      url: text, identifier: identifier, typeHint: typeHint, options: options, dialect: dialect.name,
      path: url.path, coding: MediaCoding(dialect.coding?.first(from: place)))
  }

  private static func identifier(of place: JSONPath.Place, _ dialect: Dialect) -> String? {
    let identifier: String? =
      switch dialect.identifier {
      case .field(let path): path.first(from: place)?.string
      case .memberName: place.name
      case nil: nil
      }
    return identifier?.isEmpty == true ? nil : identifier
  }

  /// Has a scheme or a slash, which no file name in an app's bundle has.
  private static func isRemote(_ text: String) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
  }
}
