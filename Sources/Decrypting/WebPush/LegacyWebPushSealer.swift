/// Makes Web Push messages in the older coding `aesgcm`.
package enum LegacyWebPushSealer {
  /// - Parameters:
  ///   - sender: used for one message only; a new one without it.
  ///   - salt: 16 octets; random without it.
  ///   - padding: zeros before the content of each record, as far as they leave room for an octet of it.
  package static func seal(
    _ plaintext: Span<UInt8>, for subscription: WebPushSubscription, sender: P256PrivateKey? = nil,
    salt: [UInt8]? = nil, recordSize: Int = LegacyWebPushMessage.defaultRecordSize, padding: Int = 0
  ) throws(DecryptingError) -> LegacyWebPushMessage {
    guard (3...65_536).contains(recordSize) else { throw .failed }
    let sender = if let sender { sender } else { try P256PrivateKey.random() }
    let salt = if let salt { salt } else { try OpenSSL.randomBytes(16) }
    let agreement = try sender.agreement(with: subscription.point.span)
    var schedule = try subscription.legacySchedule(agreement: agreement, sender: sender.point, salt: salt)
    let padding = min(max(0, padding), recordSize - 3)
    var body: [UInt8] = []
    var rest = plaintext
    while true {
      let content = rest.extracting(first: min(rest.count, recordSize - 2 - padding))
      rest = rest.extracting(droppingFirst: content.count)
      var padded = [UInt8(truncatingIfNeeded: padding >> 8), UInt8(truncatingIfNeeded: padding)]
      padded.append(contentsOf: repeatElement(0, count: padding))
      padded.append(contentsOf: content)
      body += try CipherContext.encrypt(padded.span, .aes128GCM, key: schedule.key, iv: schedule.nonce)
      // A record that happens to be whole cannot be the last.
      guard padded.count == recordSize else { break }
      try schedule.advance()
    }
    return try LegacyWebPushMessage(body: body, salt: salt, sender: sender.point)
  }
}
