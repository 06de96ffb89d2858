/// A key from a key file, and the one format that it may be used for.
package enum KeyRecord: Sendable {
  /// `aes128gcm` with a shared key, for content and media.
  case records(RecordsKey)
  /// `aes128gcm` in Web Push (RFC 8291).
  case webPush(WebPushKey)
  /// `aesgcm`, the older coding of Web Push.
  case legacyWebPush(WebPushKey)
  case jwe(JWEKey)

  // These take characters of a key file, in base64url. `keyInvalid` never reveals any of them.

  /// - Parameter name: the name of the key. The header of an encrypted body may state it.
  package init(records key: Span<UInt8>, name: String) throws(DecryptingError) {
    guard name.utf8.count <= 255, let key = try? RecordsKey(Secret(text: key), keyID: Array(name.utf8)) else {
      throw .keyInvalid(expected: "a name of at most 255 bytes, and a key of at least 16 bytes in base64url")
    }
    self = .records(key)
  }

  package init(webPush privateKey: Span<UInt8>, authentication: Span<UInt8>) throws(DecryptingError) {
    self = .webPush(try Self.webPushKey(privateKey, authentication))
  }

  package init(legacyWebPush privateKey: Span<UInt8>, authentication: Span<UInt8>) throws(DecryptingError) {
    self = .legacyWebPush(try Self.webPushKey(privateKey, authentication))
  }

  package init(jweShared key: Span<UInt8>, _ encryption: JWEEncryption) throws(DecryptingError) {
    guard let key = try? JWEKey(shared: Secret(text: key), encryption) else {
      let expected = "\(encryption.keyCount) bytes in base64url, as \(encryption.rawValue) takes"
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
  "a private key of 32 bytes on P-256 in base64url (the d of a JSON Web Key)"
