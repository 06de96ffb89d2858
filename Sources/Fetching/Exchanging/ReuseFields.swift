/// The response header fields that are read. Their names are in lower case (RFC 9110 section 5.1).
enum HeaderField: String, CaseIterable {
  case contentEncoding = "content-encoding"
  case contentLength = "content-length"
  case contentType = "content-type"
  case location
  case retryAfter = "retry-after"
  case setCookie = "set-cookie"
  case transferEncoding = "transfer-encoding"
  // For `ReuseFields`.
  case age
  case cacheControl = "cache-control"
  case date, etag, expires
  case lastModified = "last-modified"
  case pragma, vary

  private static let named = allCases.map { (name: Array($0.rawValue.utf8), field: $0) }

  init?(_ name: Span<UInt8>) {
    guard let known = Self.named.first(where: { name.spells($0.name) }) else { return nil }
    self = known.field
  }
}

/// The fields of a response about its reuse (RFC 9111). If they exceed 1 KB, it is not reused.
package struct ReuseFields: Sendable, Equatable {
  private struct Said: Equatable {
    let field: HeaderField
    let value: String
  }

  private var said: [Said] = []

  /// The values by field name, in lower case.
  package var values: [String: [String]] {
    Dictionary(grouping: said, by: \.field.rawValue).mapValues { $0.map(\.value) }
  }

  mutating func add(_ field: HeaderField, _ value: String) {
    // Adds 16 bytes for each value, because empty values take memory too.
    guard said.reduce(value.utf8.count, { $0 + $1.value.utf8.count + 16 }) <= 1_024 else { return forbid() }
    // Most responses have no more than four.
    if said.isEmpty { said.reserveCapacity(4) }
    said.append(Said(field: field, value: value))
  }

  mutating func forbid() { said = [Said(field: .cacheControl, value: "no-store")] }
}
