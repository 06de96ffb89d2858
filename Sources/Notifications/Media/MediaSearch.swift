/// Goes through a payload dialect by dialect and keeps what it finds. Not copyable: a closure that is called
/// for each place would take a copy.
struct MediaSearch: ~Copyable {
  private let top: JSONPath.Place
  /// In order, each URL once. An identifier is the sender's, or empty.
  private(set) var found: [MediaReference] = []
  /// The URLs of all but the first of them: most payloads have one, and a set of it takes a fifth of a search.
  private var furtherURLs: Set<[UInt8]> = []
  private let maximum: Int
  private let replacements: [[UInt8]: [UInt8]]
  /// In the order in which they were found; a place may be among them twice.
  private(set) var replaced: [Replaced] = []

  /// A place whose URL is to be replaced.
  struct Replaced {
    let url: [UInt8]
    let path: String
    /// The edit of the text that the payload is in.
    let edit: JSONEdit
  }

  /// - Parameters:
  ///   - maximum: how many URLs to find at most.
  ///   - replacements: new URLs by the old ones, both as UTF-8.
  init(_ object: JSONValue, atMost maximum: Int, replacing replacements: [[UInt8]: [UInt8]]) {
    top = JSONPath.Place(value: object, path: "")
    self.maximum = maximum
    self.replacements = replacements
  }

  /// Looks for media of one dialect, at its locations in order until one has some.
  mutating func look(for dialect: Dialect) {
    // Once, not for each medium: a payload with thousands of media and of other members would take seconds.
    let shared = dialect.sharedOptions.read(from: top.value)
    let thumbnail = dialect.thumbnail.flatMap { top.value[$0]?.string }
    for location in dialect.locations {
      var hasMedia = false
      location.path.visit(from: top) { place in
        guard found.count < maximum, let url = location.url(at: place),
          var medium = Self.read(place, url, dialect)
        else { return }
        hasMedia = true
        let isThumbnail = !medium.identifier.isEmpty && medium.identifier == thumbnail
        let isHidden = thumbnail == nil || isThumbnail ? nil : true
        medium.options.thumbnailHidden = medium.options.thumbnailHidden ?? shared.thumbnailHidden ?? isHidden
        medium.options.thumbnailClippingRect =
          medium.options.thumbnailClippingRect ?? shared.thumbnailClippingRect
        medium.options.thumbnailTime = medium.options.thumbnailTime ?? shared.thumbnailTime
        // The encryption given beside the old URL would be wrong of the new one.
        if !replacements.isEmpty, medium.coding == nil {
          let text = Array(medium.url.utf8)
          if let replacement = replacements[text] {
            replaced.append(Replaced(url: text, path: url.path, edit: url.edit(to: replacement)))
          }
        }
        if isNew(medium.url) { found.append(medium) }
      }
      if hasMedia { return }
    }
  }

  /// Whether no medium has this URL yet. Byte for byte, as in `JSONDocument.isString`.
  private mutating func isNew(_ url: String) -> Bool {
    guard let first = found.first else { return true }
    return !first.url.utf8.elementsEqual(url.utf8) && furtherURLs.insert(Array(url.utf8)).inserted
  }

  private static func read(
    _ place: JSONPath.Place, _ url: JSONPath.Place, _ dialect: Dialect
  ) -> MediaReference? {
    guard let text = url.value.string, !text.isEmpty else { return nil }
    // Unlike the name of a file in an app's bundle, a URL has a scheme or a slash.
    if dialect.allowsBundledFiles, !text.utf8.contains(where: { ":/".utf8.contains($0) }) { return nil }
    let value = place.value
    if dialect.lazy.flatMap({ value[$0] })?.bool == true { return nil }
    let identifier = place.name ?? dialect.identifier.flatMap { value[$0]?.string }
    let typeHint = dialect.typeHint.flatMap { value[$0] }?.string.map(TypeHint.init)
    var options = dialect.options.read(from: value)
    options.typeHint = typeHint?.uniformTypeIdentifier
    return MediaReference(
      url: text, identifier: identifier ?? "", typeHint: typeHint, options: options, dialect: dialect.name,
      path: url.path, coding: MediaCoding(dialect.coding.flatMap { value[$0] }))
  }
}

extension JSONPath.Place {
  /// The change that gives the string here another text.
  /// - Parameter text: UTF-8.
  fileprivate func edit(to text: [UInt8]) -> JSONEdit {
    let range = value.range.lowerBound + 1..<value.range.upperBound - 1
    let edit = JSONEdit(range, JSONEscape.encode(text))
    return embedding?.lift(edit) ?? edit
  }
}
