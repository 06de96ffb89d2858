/// One response on the way to a file, reduced to what decides about its reuse (RFC 9111).
package struct Response: Sendable {
  package let status: Int
  let fields: [String: [String]]

  /// - Parameter fields: the values of each field, by its name in lower case.
  package init(status: Int, fields: [String: [String]]) {
    self.status = status
    self.fields = fields
  }

  private func values(_ name: String) -> [String] { fields[name] ?? [] }

  /// A field that may occur once. Nil if it is missing or occurs with different values.
  private func value(_ name: String) -> String? {
    let values = values(name)
    return values.dropFirst().allSatisfy { $0 == values[0] } ? values.first : nil
  }

  private func date(_ name: String) -> HTTPDate? { value(name).flatMap { HTTPDate($0) } }
  /// By the status alone (RFC 9110 section 15.1). A 304 confirms a 200.
  var isCacheableByDefault: Bool { [200, 301, 304, 308].contains(status) }
  var hasCacheControl: Bool { !values("cache-control").isEmpty }
  var control: CacheControl { CacheControl(values("cache-control")) }
  /// Whether `Vary` lists this field of requests. Only `user-agent` and `*` matter, because all other fields are the
  /// same in all requests.
  /// - Parameter field: in lower case.
  package func varies(by field: String) -> Bool {
    values("vary").contains { $0.split(separator: ",").contains { $0.trimmed.lowercased() == field } }
  }

  /// `Pragma: no-cache`, from the time before Cache-Control.
  var demandsValidationInOldWords: Bool {
    !hasCacheControl && values("pragma").contains { $0.lowercased().contains("no-cache") }
  }

  var date: HTTPDate? { date("date") }
  var lastModified: HTTPDate? { date("last-modified") }

  /// A tag that can be sent back: in quotes, and only visible ASCII (RFC 9110 section 8.8.3).
  var etag: String? {
    guard let text = value("etag"), text.utf8.count <= CacheEntry.maximumText else { return nil }
    let tag = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    guard tag.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
    let inside = tag.dropFirst().dropLast().utf8
    return inside.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 < 0x7f } ? text : nil
  }

  var hasExpires: Bool { !values("expires").isEmpty }
  /// Nil if it is not a valid date, as with `0`.
  var expires: HTTPDate? { date("expires") }

  /// The time spent in caches, in milliseconds. Only the first value of a list counts. An invalid value counts as
  /// `Freshness.longest`.
  var age: Int64 {
    guard let text = values("age").first else { return 0 }
    return CacheControl.seconds(text.prefix { $0 != "," }.trimmed).map { $0 * 1_000 } ?? Freshness.longest
  }
}
