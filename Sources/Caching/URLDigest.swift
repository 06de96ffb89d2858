internal import COpenSSL

/// Stands for a URL: its SHA-256, because URLs have secrets in them that belong into no file.
package struct URLDigest: Hashable, Sendable {
  /// Of the digest, 8 bytes each.
  let first, second, third, fourth: UInt64

  /// - Parameter text: the URL. A fragment does not count: it is not sent.
  /// - Returns: nil when OpenSSL has no SHA-256.
  package init?(_ text: String) {
    let sent = text.utf8.prefix { $0 != UInt8(ascii: "#") }
    var digest = [UInt8](repeating: 0, count: 32)
    let status = unsafe digest.withUnsafeMutableBufferPointer { digest in
      unsafe Array(sent).withUnsafeBufferPointer {
        unsafe EVP_Digest($0.baseAddress, $0.count, digest.baseAddress, nil, EVP_sha256(), nil)
      }
    }
    guard status == 1 else { return nil }
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
