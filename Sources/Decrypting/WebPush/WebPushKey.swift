/// A Web Push subscription (RFC 8291 section 2): a key on P-256 and the authentication secret.
/// Senders know the key's public point (`p256dh`) and the secret (`auth`).
package struct WebPushKey: Sendable {
  let agreement: P256PrivateKey
  let authentication: Secret
  /// Whether senders write HTML's entities into the body, as some Mastodon servers do.
  var hasEntities = false

  package init(_ agreement: P256PrivateKey, authentication: Secret) throws(DecryptingError) {
    guard authentication.count == 16 else { throw .failed }
    self.agreement = agreement
    self.authentication = authentication
  }

  /// Opens `aes128gcm` with the sender's public key in its header. Accepts more than one record,
  /// unlike section 4.
  func open(_ body: [UInt8]) throws(DecryptingError) -> [UInt8] {
    let sender = try RecordsHeader(body).keyID
    return try key(agreement: agreement.agreement(with: sender.span), sender: sender).open(body)
  }

  /// The key that both sides use for one message (RFC 8291 section 3.4).
  /// - Parameter sender: the sender's public key, 65 bytes.
  func key(agreement: Secret, sender: [UInt8]) throws(DecryptingError) -> RecordsKey {
    let info = Array("WebPush: info\0".utf8) + self.agreement.point + sender
    return try RecordsKey(secret(agreement, info: info), keyID: sender)
  }

  /// The keys that both sides use for one message in the older coding (`LegacyWebPushMessage`).
  func legacySchedule(
    agreement: Secret, sender: [UInt8], salt: [UInt8]
  ) throws(DecryptingError) -> RecordSchedule {
    let length: [UInt8] = [0, UInt8(P256PrivateKey.pointCount)]
    let context = Array("P-256\0".utf8) + length + self.agreement.point + length + sender
    let secret = try secret(agreement, info: Array("Content-Encoding: auth\0".utf8))
    return try RecordSchedule(secret, salt: salt.span, coding: "aesgcm", context: context)
  }

  private func secret(_ agreement: Secret, info: [UInt8]) throws(DecryptingError) -> Secret {
    try authentication.withSpan { (salt) throws(DecryptingError) in
      try KeyDerivation.hkdf(agreement, salt: salt, info: info, count: 32)
    }
  }
}
