/// A Web Push message in the older coding `aesgcm` (draft-ietf-webpush-encryption-04,
/// draft-ietf-httpbis-encryption-encoding-03), in the shapes in which relays of Mastodon's pass it on. It has
/// no header: salt and sender's key stand beside it.
package struct LegacyWebPushMessage: Equatable, Sendable {
  /// Octets of content and padding in a record, when nobody says how many.
  package static let defaultRecordSize = 4_096

  let body: [UInt8]
  /// 16 octets.
  let salt: [UInt8]
  /// The sender's public key, 65 octets.
  let sender: [UInt8]

  /// Metatext's and IceCubes' shape, `{i, m, k, s}`, all in base64url: the message, the sender's key, the
  /// salt.
  /// - Throws: `DecryptingError.failed` for what is no base64url, and for other lengths.
  package init(m: String, k: String, s: String) throws(DecryptingError) {
    try self.init(body: Base64.url.decode(m), salt: Base64.url.decode(s), sender: Base64.url.decode(k))
  }

  /// toot-relay's shape, `{p, k, s, x}`, all in Z85: the message, the sender's key, the salt.
  /// - Throws: `DecryptingError.failed` for what is no Z85, and for other lengths.
  package init(p: String, k: String, s: String) throws(DecryptingError) {
    try self.init(body: Z85.decode(p), salt: Z85.decode(s), sender: Z85.decode(k))
  }

  init(body: [UInt8], salt: [UInt8], sender: [UInt8]) throws(DecryptingError) {
    guard body.count <= ContentLimit.octets, salt.count == 16, sender.count == P256PrivateKey.pointCount
    else {
      throw .failed
    }
    self.body = body
    self.salt = salt
    self.sender = sender
  }

  /// The members `m`, `k` and `s`, in base64url.
  package var members: (m: String, k: String, s: String) {
    (Base64.url.encode(body.span), Base64.url.encode(sender.span), Base64.url.encode(salt.span))
  }

  /// The members `p`, `k` and `s`, in Z85.
  package var z85Members: (p: String, k: String, s: String) {
    (Z85.encode(body.span), Z85.encode(sender.span), Z85.encode(salt.span))
  }
}
