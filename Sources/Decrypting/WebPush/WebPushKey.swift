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
    let secret = try authentication.withSpan { (salt) throws(DecryptingError) in
      try KeyDerivation.hkdf(agreement, salt: salt, info: info, count: 32)
    }
    return try RecordsKey(secret, keyID: sender)
  }
}
