internal import Supporting

/// Stands for a URL: its SHA-256, because URLs have secrets in them that belong into no file.
package struct URLDigest: Hashable, Sendable {
  /// Of the digest, 8 bytes each.
  let first, second, third, fourth: UInt64

  /// - Parameter text: the URL. A fragment does not count: it is not sent.
  /// - Returns: nil when OpenSSL has no SHA-256.
  package init?(_ text: String) {
    let sent = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
    guard let digest = SHA256.digest(of: sent.span) else { return nil }
    var fields = FieldReader(digest[...])
    self.init(&fields)
  }

  /// Reads it as `CacheEntry` is written.
  init(_ fields: inout FieldReader) {
    first = fields.number()
    second = fields.number()
    third = fields.number()
    fourth = fields.number()
  }
}
