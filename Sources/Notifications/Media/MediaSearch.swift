/// Searches a payload dialect by dialect. If it were copyable, each place's closure would copy it.
struct MediaSearch: ~Copyable {
  /// The media found so far, in order, each URL once. The identifier is the sender's or empty.
  private(set) var found: [MediaReference] = []
  /// All URLs but the first. Most payloads have one, and a set for it takes a fifth of a search's time.
  private var furtherURLs: Set<[UInt8]> = []
  /// How many media at the start of `found` are texts in `media` that are no URLs. That name has other meanings, too,
  /// so these texts do not end the search, and do not count if a URL is elsewhere.
  private var doubtful = 0
  private let maximum: Int
  /// What relative URLs are completed with (`--base-url`); nil if they stay as they are.
  private let base: String?
  private var shape = URLShape.any
  private let replacements: [[UInt8]: [UInt8]]
  /// The places with a URL to replace, perhaps twice. Edits apply to the text around the payload.
  private(set) var replaced: [Replaced] = []
  typealias Replaced = (url: [UInt8], path: String, edit: JSONEdit)

  /// - Parameters:
  ///   - shapes: what counts as a URL at names that mean other things as well, tried one after the other.
  ///   - replacements: the new URLs, keyed by the old ones, both in UTF-8.
  init(
    _ payload: Payload, mediaKeys: [MediaKey], base: String? = nil, atMost maximum: Int = .max,
    shapes: [URLShape] = [.web, .scheme], replacing replacements: [[UInt8]: [UInt8]] = [:]
  ) {
    (self.maximum, self.base, self.replacements) = (maximum, base, replacements)
    let places = payload.searched.map(SearchedPlace.init)
    for place in places { look(in: place, for: Dialect.own) }
    let hasURL = found.contains { URLShape.scheme.fits($0.url.utf8, completes: $0.base != nil) }
    if !hasURL { doubtful = found.count }
    for key in mediaKeys { for place in places { look(for: Dialect(mediaKey: key), in: place.place) } }
    if let enclosure = payload.enclosure {
      look(in: SearchedPlace(enclosure.place), for: enclosure.envelope.media)
    }
    for place in places { look(in: place, for: Dialect.namespaced) }
    for shape in shapes where isEmpty {
      self.shape = shape
      for place in places { look(in: place, for: Dialect.flat) }
      if isEmpty { for place in places { look(in: place, for: Dialect.generic, onlyFirst: true) } }
    }
    if doubtful > 0, found.dropFirst(doubtful).contains(where: \.hasURL) { found.removeFirst(doubtful) }
  }

  private var isEmpty: Bool { found.count == doubtful }

  private mutating func look(in place: SearchedPlace, for table: DialectTable, onlyFirst: Bool = false) {
    table.forEachRow(for: place.names) { if !onlyFirst || isEmpty { look(for: $0, in: place.place) } }
  }

  /// Searches the locations of a dialect until one has media.
  private mutating func look(for dialect: Dialect, in top: JSONPath.Place) {
    // Read once: for each of thousands of media, among thousands of members, it would take seconds.
    let shared = dialect.sharedOptions?.read(from: top.value)
    let thumbnail = dialect.thumbnail.flatMap { top.value[$0]?.string }
    var first: String?
    for location in dialect.locations {
      var hasMedia = false
      location.path.visit(from: top) { place in
        guard found.count < maximum, let url = location.url(at: place) else { return }
        guard var medium = read(place, url, dialect) else { return }
        hasMedia = true
        let isThumbnail = !medium.identifier.isEmpty && medium.identifier == thumbnail
        let isHidden = thumbnail == nil || isThumbnail ? nil : true
        medium.options.thumbnailHidden = medium.options.thumbnailHidden ?? shared?.thumbnailHidden ?? isHidden
        medium.options.thumbnailClippingRect =
          medium.options.thumbnailClippingRect ?? shared?.thumbnailClippingRect
        medium.options.thumbnailTime = medium.options.thumbnailTime ?? shared?.thumbnailTime
        // The encryption stated beside the old URL would not be true of the stored file.
        if !replacements.isEmpty, medium.coding == nil {
          let text = Array(medium.url.utf8)
          if let new = replacements[text] { replaced.append((text, url.path, url.edit(to: new))) }
        }
        medium.spareFor = first
        if isNew(medium.url) { found.append(medium) }
        if dialect.hasSpare { first = first ?? medium.url }
      }
      if hasMedia, !dialect.hasSpare { return }
    }
  }

  /// Whether no medium so far has this URL, compared byte for byte.
  private mutating func isNew(_ url: String) -> Bool {
    guard let first = found.first else { return true }
    return !first.url.utf8.elementsEqual(url.utf8) && furtherURLs.insert(Array(url.utf8)).inserted
  }

  private func read(
    _ place: JSONPath.Place, _ url: JSONPath.Place, _ dialect: Dialect
  ) -> MediaReference? {
    guard let text = url.value.string, !text.isEmpty else { return nil }
    let isRelative = base != nil && !text.hasScheme
    guard isRelative && dialect.relativePrefix != nil || shape.fits(text.utf8, completes: isRelative) else {
      return nil
    }
    // A URL has a scheme or a slash. The name of a file in an app's bundle has neither.
    if dialect.allowsBundledFiles, !text.utf8.contains(where: { ":/".utf8.contains($0) }) { return nil }
    let value = place.value
    if dialect.lazy.flatMap({ value[$0] })?.bool == true { return nil }
    let identifier = place.name ?? dialect.identifier.flatMap { value[$0]?.string }
    let typeHint = dialect.typeHint.flatMap { value[$0] }?.string.map(TypeHint.init)
    var options = dialect.options?.read(from: value) ?? AttachmentOptions()
    options.typeHint = typeHint?.uniformTypeIdentifier
    var reference = MediaReference(
      url: text, identifier: identifier ?? "", typeHint: typeHint, options: options, dialect: dialect.name,
      path: url.path, coding: MediaCoding(dialect.coding.flatMap { value[$0] }))
    if isRelative, let base {
      let prefix = text.hasPrefix("/") ? "" : "/\(dialect.relativePrefix ?? "")"
      reference.base = (base.hasSuffix("/") ? String(base.dropLast()) : base) + prefix
    }
    return reference
  }
}

/// An object to search, and the names of its members. A class, so that going through a list of them copies nothing.
private final class SearchedPlace {
  let place: JSONPath.Place
  let names: [String]

  init(_ place: JSONPath.Place) {
    var names: [String] = []
    // Most payloads have fewer members.
    names.reserveCapacity(8)
    for member in place.value.members { names.append(member.name) }
    (self.place, self.names) = (place, names)
  }
}

extension MediaReference {
  /// Whether its text looks like a URL of any scheme, or is completed into one.
  fileprivate var hasURL: Bool { base != nil || URLShape.scheme.fits(url.utf8, completes: false) }
}

extension String {
  /// Whether it is absolute, or names a host without a scheme.
  fileprivate var hasScheme: Bool { hasPrefix("//") || prefix { $0 != "/" }.contains(":") }
}

extension JSONPath.Place {
  /// The edit that replaces the text of the string at this place. `text` is UTF-8.
  fileprivate func edit(to text: [UInt8]) -> JSONEdit {
    let range = value.range.lowerBound + 1..<value.range.upperBound - 1
    let edit = JSONEdit(range, JSONEscape.encode(text))
    return embedding?.lift(edit) ?? edit
  }
}
