/// Opens Web Push messages in the older coding `aesgcm`.
enum LegacyWebPushDecryptor {
  /// Each record is as long as the record size and a tag, but for the last, which is shorter: that is how a
  /// cut is noticed.
  /// - Throws: `DecryptingError.failed`.
  static func open(
    _ message: LegacyWebPushMessage, with key: WebPushKey,
    recordSize: Int = LegacyWebPushMessage.defaultRecordSize
  ) throws(DecryptingError) -> [UInt8] {
    let agreement = try key.agreement.agreement(with: message.sender.span)
    var schedule = try key.subscription.legacySchedule(
      agreement: agreement, sender: message.sender, salt: message.salt)
    let whole = recordSize + Cipher.tagCount
    var plaintext = PlaintextBuffer(capacity: message.body.count)
    var rest = message.body.span
    while true {
      let record = rest.extracting(first: min(rest.count, whole))
      try open(record, schedule, into: &plaintext)
      guard record.count == whole else { return plaintext.bytes() }
      try schedule.advance()
      rest = rest.extracting(droppingFirst: whole)
    }
  }

  /// A record is `length of the padding(2) | zeros | content`.
  private static func open(
    _ record: Span<UInt8>, _ schedule: RecordSchedule, into plaintext: inout PlaintextBuffer
  ) throws(DecryptingError) {
    guard record.count >= Cipher.tagCount + 2 else { throw .failed }
    let split = record.count - Cipher.tagCount
    var tag: [UInt8] = []
    tag.append(contentsOf: record.extracting(droppingFirst: split))
    var padded = try CipherContext.decrypt(
      record.extracting(first: split), .aes128GCM, key: schedule.key, iv: schedule.nonce, tag: tag)
    defer { padded.wipe() }
    let start = 2 + Int(padded[0]) << 8 + Int(padded[1])
    guard start <= padded.count, padded[2..<start].allSatisfy({ $0 == 0 }) else { throw .failed }
    // Has room for all of the ciphertext, and so for this.
    try plaintext.append(padded.span.extracting(droppingFirst: start)) { _ throws(DecryptingError) in
      throw .failed
    }
  }
}
