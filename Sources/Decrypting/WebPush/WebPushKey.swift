/// What a Web Push subscription keeps to itself (RFC 8291 section 2): a key on P-256 and the authentication
/// secret.
package struct WebPushKey: Sendable {
  /// Octets of the authentication secret.
  package static let authenticationCount = 16

  let agreement: P256PrivateKey
  let authentication: Secret

  /// - Parameter authentication: 16 octets.
  /// - Throws: `DecryptingError.failed` for another number of octets.
  package init(_ agreement: P256PrivateKey, authentication: Secret) throws(DecryptingError) {
    guard authentication.count == Self.authenticationCount else { throw .failed }
    self.agreement = agreement
    self.authentication = authentication
  }

  /// What a sender gets to know: the `p256dh` and `auth` of a subscription.
  package var subscription: WebPushSubscription {
    WebPushSubscription(point: agreement.point, authentication: authentication)
  }

  /// Opens a message (RFC 8291): `aes128gcm` whose header names the sender's public key instead of a shared
  /// one. Several records are taken too: senders make them, although section 4 asks for one.
  /// - Throws: `DecryptingError.failed`.
  func open(_ body: [UInt8]) throws(DecryptingError) -> [UInt8] {
    let sender = try RecordsHeader(body).keyID
    return try subscription.key(agreement: agreement.agreement(with: sender.span), sender: sender).open(body)
  }
}

/// What the sender of a Web Push message knows of its receiver.
package struct WebPushSubscription: Sendable {
  /// The receiver's public key, 65 octets.
  let point: [UInt8]
  let authentication: Secret

  /// The key that both sides have for one message (RFC 8291 section 3.4).
  /// - Parameters:
  ///   - agreement: what ECDH makes of either side's private key and the other's public one.
  ///   - sender: the sender's public key, 65 octets.
  func key(agreement: Secret, sender: [UInt8]) throws(DecryptingError) -> RecordsKey {
    let info = Array("WebPush: info\0".utf8) + point + sender
    return try RecordsKey(secret(agreement, info: info), keyID: sender)
  }

  /// The keys that both sides have for one message in the older coding (`LegacyWebPushMessage`).
  func legacySchedule(
    agreement: Secret, sender: [UInt8], salt: [UInt8]
  ) throws(DecryptingError) -> RecordSchedule {
    let length: [UInt8] = [0, UInt8(P256PrivateKey.pointCount)]
    let context = Array("P-256\0".utf8) + length + point + length + sender
    let secret = try secret(agreement, info: Array("Content-Encoding: auth\0".utf8))
    return try RecordSchedule(secret, salt: salt.span, coding: "aesgcm", context: context)
  }

  private func secret(_ agreement: Secret, info: [UInt8]) throws(DecryptingError) -> Secret {
    try authentication.withSpan { (salt) throws(DecryptingError) in
      try KeyDerivation.hkdf(agreement, salt: salt, info: info, count: 32)
    }
  }
}
