/// Makes Web Push messages (RFC 8291).
package enum WebPushSealer {
  /// - Parameters:
  ///   - sender: used for one message only; a new one without it.
  ///   - salt: 16 octets; random without it.
  ///   - padding: zeros behind the plaintext.
  package static func seal(
    _ plaintext: Span<UInt8>, for subscription: WebPushSubscription, sender: P256PrivateKey? = nil,
    salt: [UInt8]? = nil, recordSize: Int = 4_096, padding: Int = 0
  ) throws(DecryptingError) -> [UInt8] {
    let sender = if let sender { sender } else { try P256PrivateKey.random() }
    let agreement = try sender.agreement(with: subscription.point.span)
    let key = try subscription.key(agreement: agreement, sender: sender.point)
    return try RecordsSealer(key, recordSize: recordSize, salt: salt).seal(plaintext, padding: padding)
  }
}
