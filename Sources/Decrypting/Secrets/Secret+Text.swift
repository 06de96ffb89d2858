internal import Supporting

/// Keys as text: read straight into wiped memory, written only on purpose. Never from a `String`, which
/// nobody can wipe.
extension Secret {
  /// - Throws: `DecryptingError.failed` for what is not hexadecimal (either case).
  package convenience init(hexadecimal text: Span<UInt8>) throws(DecryptingError) {
    guard let count = Hexadecimal.count(decoding: text.count) else { throw .failed }
    try unsafe self.init(count: count) { (buffer) throws(DecryptingError) in
      guard unsafe Hexadecimal.decode(text, into: buffer) else { throw .failed }
    }
  }

  /// - Throws: `DecryptingError.failed` for what is not canonical base64url without padding (RFC 4648 section
  ///   5).
  package convenience init(base64URL text: Span<UInt8>) throws(DecryptingError) {
    guard let count = Base64.url.count(decoding: text.count) else { throw .failed }
    try unsafe self.init(count: count) { (buffer) throws(DecryptingError) in
      guard unsafe Base64.url.decode(text, into: buffer) else { throw .failed }
    }
  }

  /// The key itself as base64url: for a key file or for the inside of an encrypted payload, nowhere else.
  package func revealedAsBase64URL() -> String { withSpan { Base64.url.encode($0) } }

  /// The key itself as lower-case hexadecimal digits, for the fragment of an `aesgcm://` URL.
  package func revealedAsHexadecimal() -> String { withSpan { String(hexadecimal: $0) } }
}
