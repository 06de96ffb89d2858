/// The header fields of a response that are read; their names are in lower case (RFC 9110 section 5.1).
enum HeaderField: String, CaseIterable {
  case contentEncoding = "content-encoding"
  case contentLength = "content-length"
  case contentType = "content-type"
  case location
  case retryAfter = "retry-after"
  case transferEncoding = "transfer-encoding"

  // What these say is about reuse (RFC 9111).
  case age
  case cacheControl = "cache-control"
  case date
  case etag
  case expires
  case lastModified = "last-modified"
  case pragma
  case vary

  /// All of them by the lengths of their names: most others have a length that none of these has.
  private static let byLength: [[(name: [UInt8], field: HeaderField)]] = {
    let named = allCases.map { (name: Array($0.rawValue.utf8), field: $0) }
    let longest = named.lazy.map(\.name.count).max() ?? 0
    return (0...longest).map { length in named.filter { $0.name.count == length } }
  }()

  /// - Parameter name: in any case of letters.
  /// - Returns: nil for a field that is not read.
  init?(_ name: Span<UInt8>) {
    guard name.count < Self.byLength.count,
      let known = Self.byLength[name.count].first(where: { name.spells($0.name) })
    else { return nil }
    self = known.field
  }
}
