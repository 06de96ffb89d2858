/// The header fields of a response that are read; their names are in lower case (RFC 9110 section 5.1).
enum HeaderField: String, CaseIterable {
  case contentEncoding = "content-encoding"
  case contentLength = "content-length"
  case contentType = "content-type"
  case location
  case retryAfter = "retry-after"
  case transferEncoding = "transfer-encoding"

  // These say something about reuse (RFC 9111).
  case age
  case cacheControl = "cache-control"
  case date
  case etag
  case expires
  case lastModified = "last-modified"
  case pragma
  case vary

  private static let named = allCases.map { (name: Array($0.rawValue.utf8), field: $0) }

  /// - Parameter name: in any case of letters.
  /// - Returns: nil for a field that is not read.
  init?(_ name: Span<UInt8>) {
    guard let known = Self.named.first(where: { name.spells($0.name) }) else { return nil }
    self = known.field
  }
}
