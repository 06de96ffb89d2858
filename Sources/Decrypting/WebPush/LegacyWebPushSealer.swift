/// Encrypts Web Push messages in the older coding `aesgcm`.
package enum LegacyWebPushSealer {
  /// - Parameters:
  ///   - sender: a key for this message only; by default a new one.
  ///   - salt: 16 bytes; by default random.
  ///   - padding: the zeros before the content of each record. Limited so that a byte of it fits.
  package static func seal(
    _ plaintext: Span<UInt8>, for receiver: WebPushKey, sender: P256PrivateKey? = nil,
    salt: [UInt8]? = nil, recordSize: Int = LegacyWebPushMessage.defaultRecordSize, padding: Int = 0
  ) throws(DecryptingError) -> LegacyWebPushMessage {
    guard (3...65_536).contains(recordSize) else { throw .failed }
    let sender = if let sender { sender } else { try P256PrivateKey.random() }
    let salt = if let salt { salt } else { try OpenSSL.randomBytes(16) }
    let agreement = try sender.agreement(with: receiver.agreement.point.span)
    var schedule = try receiver.legacySchedule(agreement: agreement, sender: sender.point, salt: salt)
    let padding = min(max(0, padding), recordSize - 3)
    var body: [UInt8] = []
    var rest = plaintext
    while true {
      let content = rest.extracting(first: min(rest.count, recordSize - 2 - padding))
      rest = rest.extracting(droppingFirst: content.count)
      var padded = UInt16(truncatingIfNeeded: padding).bytes + repeatElement(0, count: padding)
      padded.append(contentsOf: content)
      body += try CipherContext.encrypt(padded.span, .aes128GCM, key: schedule.key, iv: schedule.nonce)
      // A full record cannot be the last one.
      guard padded.count == recordSize else { break }
      try schedule.advance()
    }
    return try LegacyWebPushMessage(body: body, salt: salt, sender: sender.point)
  }
}
