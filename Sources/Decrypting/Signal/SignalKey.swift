internal import Supporting

/// The key of an attachment as Signal makes them.
package struct SignalKey: Sendable {
  /// Octets of both keys.
  static let keyCount = 64

  /// AES-256, then HMAC-SHA256, 32 octets each.
  let keys: Secret
  /// The SHA-256 of the whole file, code included.
  let digest: [UInt8]
  /// Octets of the plaintext; what follows them is padding that hides how many they are.
  let size: Int

  /// - Parameters:
  ///   - key: both keys, in base64url.
  ///   - digest: in base64url.
  ///   - size: octets of the plaintext without its padding.
  /// - Throws: `DecryptingError.failed` for other lengths.
  package init(key: Span<UInt8>, digest: String, size: Int) throws(DecryptingError) {
    try self.init(keys: Secret(base64URL: key), digest: Base64.url.decode(digest), size: size)
  }

  init(keys: Secret, digest: [UInt8], size: Int) throws(DecryptingError) {
    guard keys.count == Self.keyCount, digest.count == SHA256.length, size >= 0 else { throw .failed }
    self.keys = keys
    self.digest = digest
    self.size = size
  }

  /// `key` and `digest` as `init` reads them.
  package func revealed() -> (key: String, digest: String) {
    (keys.revealedAsBase64URL(), Base64.url.encode(digest.span))
  }
}
