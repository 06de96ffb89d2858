/// A key from a key file, and the one format that it may be used for.
package enum KeyRecord: Sendable {
  /// `aes128gcm` with a shared key, for content and media.
  case records(RecordsKey)
  /// `aes128gcm` in Web Push (RFC 8291).
  case webPush(WebPushKey)
  /// `aesgcm`, the older coding of Web Push.
  case legacyWebPush(WebPushKey)
  case jwe(JWEKey)
  case bark(BarkKey)

  // These take the characters of a key file: base64 or base64url, except for `bark`. `keyInvalid` never reveals any
  // of them.

  /// - Parameter name: the name of the key. The header of an encrypted body may state it.
  package init(records key: Span<UInt8>, name: String) throws(DecryptingError) {
    guard name.utf8.count <= 255, let key = try? RecordsKey(Secret(text: key), keyID: Array(name.utf8)) else {
      throw .keyInvalid(expected: "a name of at most 255 bytes, and a key of at least 16 bytes in base64")
    }
    self = .records(key)
  }

  /// - Parameter hasEntities: whether the sender writes HTML's entities into the body.
  package init(
    webPush privateKey: Span<UInt8>, authentication: Span<UInt8>, hasEntities: Bool = false
  ) throws(DecryptingError) {
    var key = try Self.webPushKey(privateKey, authentication)
    key.hasEntities = hasEntities
    self = .webPush(key)
  }

  package init(
    legacyWebPush privateKey: Span<UInt8>, authentication: Span<UInt8>, hasEntities: Bool = false
  ) throws(DecryptingError) {
    var key = try Self.webPushKey(privateKey, authentication)
    key.hasEntities = hasEntities
    self = .legacyWebPush(key)
  }

  /// Whether the body that it opens has HTML's entities.
  package var hasEntities: Bool {
    switch self {
    case .webPush(let key), .legacyWebPush(let key): key.hasEntities
    case .records, .jwe, .bark: false
    }
  }

  package init(jweShared key: Span<UInt8>, _ encryption: JWEEncryption) throws(DecryptingError) {
    guard let key = try? JWEKey(shared: Secret(text: key), encryption) else {
      let expected = "\(encryption.keyCount) bytes in base64, as \(encryption.rawValue) takes"
      throw .keyInvalid(expected: expected)
    }
    self = .jwe(key)
  }

  package init(jweAgreement privateKey: Span<UInt8>, _ encryption: JWEEncryption) throws(DecryptingError) {
    guard let key = try? P256PrivateKey(scalar: Secret(text: privateKey)) else {
      throw .keyInvalid(expected: privateKeyDescription)
    }
    self = .jwe(JWEKey(agreement: key, encryption))
  }

  /// - Parameters:
  ///   - key: the characters, which are the key.
  ///   - iv: empty if each message has its own.
  package init(bark key: Span<UInt8>, iv: [UInt8]) throws(DecryptingError) {
    guard let key = try? BarkKey(Secret(key), iv: iv) else {
      throw .keyInvalid(expected: "a key of 16, 24 or 32 characters, and an iv of 12 if there is one")
    }
    self = .bark(key)
  }

  private static func webPushKey(
    _ privateKey: Span<UInt8>, _ authentication: Span<UInt8>
  ) throws(DecryptingError) -> WebPushKey {
    guard let agreement = try? P256PrivateKey(scalar: Secret(text: privateKey)),
      let key = try? WebPushKey(agreement, authentication: Secret(text: authentication))
    else { throw .keyInvalid(expected: "\(privateKeyDescription), and 16 bytes of authentication secret") }
    return key
  }
}

private let privateKeyDescription =
  "a private key of 32 bytes on P-256 in base64 (the d of a JSON Web Key)"
