/// A key as the key file has it: what it is, and the one format that it is for.
package enum KeyRecord: Sendable {
  /// `aes128gcm` with a shared key, for content and media.
  case records(RecordsKey)
  /// `aes128gcm` as Web Push (RFC 8291).
  case webPush(WebPushKey)
  /// `aesgcm`, the older coding of Web Push.
  case legacyWebPush(WebPushKey)
  case jwe(JWEKey)
}

/// From the characters of a key file, all in base64url. They throw `DecryptingError.keyInvalid`, which does not
/// say what the key is.
extension KeyRecord {
  /// - Parameter name: the key's own, which bodies encrypted with it may give.
  package init(records key: Span<UInt8>, name: String) throws(DecryptingError) {
    self = try Self.expecting("a name of at most 255 bytes, and 16 bytes of key or more in base64url") {
      () throws(DecryptingError) in
      guard name.utf8.count <= 255 else { throw .failed }
      return .records(try RecordsKey(Secret(text: key), keyID: Array(name.utf8)))
    }
  }

  package init(webPush privateKey: Span<UInt8>, authentication: Span<UInt8>) throws(DecryptingError) {
    self = .webPush(try Self.webPushKey(privateKey, authentication))
  }

  package init(legacyWebPush privateKey: Span<UInt8>, authentication: Span<UInt8>) throws(DecryptingError) {
    self = .legacyWebPush(try Self.webPushKey(privateKey, authentication))
  }

  /// - Parameter encryption: the `enc` that the key is for.
  package init(jweShared key: Span<UInt8>, _ encryption: JWEEncryption) throws(DecryptingError) {
    let expected = "\(encryption.keyCount) bytes in base64url, as \(encryption.rawValue) takes"
    self = try Self.expecting(expected) { () throws(DecryptingError) in
      .jwe(try JWEKey(shared: Secret(text: key), encryption))
    }
  }

  package init(jweAgreement privateKey: Span<UInt8>, _ encryption: JWEEncryption) throws(DecryptingError) {
    self = try Self.expecting(privateKeyDescription) { () throws(DecryptingError) in
      .jwe(JWEKey(agreement: try P256PrivateKey(scalar: Secret(text: privateKey)), encryption))
    }
  }

  private static func webPushKey(
    _ privateKey: Span<UInt8>, _ authentication: Span<UInt8>
  ) throws(DecryptingError) -> WebPushKey {
    try expecting("\(privateKeyDescription), and 16 bytes of authentication secret") {
      () throws(DecryptingError) in
      try WebPushKey(
        P256PrivateKey(scalar: Secret(text: privateKey)),
        authentication: Secret(text: authentication))
    }
  }

  private static func expecting<Key>(
    _ expected: String, _ make: () throws(DecryptingError) -> Key
  ) throws(DecryptingError) -> Key {
    do throws(DecryptingError) {
      return try make()
    } catch {
      throw .keyInvalid(expected: expected)
    }
  }
}

private let privateKeyDescription =
  "a private key of 32 bytes on P-256 in base64url (the d of a JSON Web Key)"
