internal import Supporting

/// Identifies a URL by its SHA-256: URLs can contain secrets, which must not be written to a file.
package struct URLDigest: Hashable, Sendable {
  let first, second, third, fourth: UInt64

  /// Ignores the fragment, which is not sent. Returns nil if OpenSSL has no SHA-256.
  package init?(_ text: String) {
    let sent = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
    guard let digest = SHA256.digest(of: sent.span) else { return nil }
    var fields = EntryFields(rest: digest[...])
    self.init(&fields)
  }

  init(_ fields: inout EntryFields) {
    (first, second) = (fields.number(), fields.number())
    (third, fourth) = (fields.number(), fields.number())
  }
}
