internal import COpenSSL

/// Identifies a URL by its SHA-256: URLs can contain secrets, which must not be written to a file.
package struct URLDigest: Hashable, Sendable {
  /// The digest, 8 bytes each.
  let first, second, third, fourth: UInt64

  /// - Parameter text: the URL. Its fragment is ignored: it is not sent.
  /// - Returns: nil if OpenSSL has no SHA-256.
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

  /// Reads it from an entry of the cache's file.
  init(_ fields: inout FieldReader) {
    first = fields.number()
    second = fields.number()
    third = fields.number()
    fourth = fields.number()
  }
}
