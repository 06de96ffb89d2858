/// Encrypts Web Push messages (RFC 8291).
package enum WebPushSealer {
  /// - Parameter sender: a key for this message only; by default a new one. For the other parameters, see
  ///   `RecordsSealer`.
  package static func seal(
    _ plaintext: Span<UInt8>, for receiver: WebPushKey, sender: P256PrivateKey? = nil,
    salt: [UInt8]? = nil, recordSize: Int = 4_096, padding: Int = 0
  ) throws(DecryptingError) -> [UInt8] {
    let sender = if let sender { sender } else { try P256PrivateKey.random() }
    let agreement = try sender.agreement(with: receiver.agreement.point.span)
    let key = try receiver.key(agreement: agreement, sender: sender.point)
    return try RecordsSealer(key, recordSize: recordSize, salt: salt).seal(plaintext, padding: padding)
  }
}
