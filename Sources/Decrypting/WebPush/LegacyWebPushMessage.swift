/// A Web Push message in the older coding `aesgcm` (draft-ietf-webpush-encryption-04,
/// draft-ietf-httpbis-encryption-encoding-03), in the shapes in which relays of Mastodon's pass it on. It has
/// no header: salt and sender's key stand beside it.
package struct LegacyWebPushMessage: Equatable, Sendable {
  /// Octets of content and padding in a record, when nobody says how many.
  package static let defaultRecordSize = 4_096

  let body: [UInt8]
  /// 16 octets.
  let salt: [UInt8]
  /// The sender's public key, 65 octets.
  let sender: [UInt8]

  /// Metatext's and IceCubes' shape, `{i, m, k, s}`, all in base64url: the message, the sender's key, the
  /// salt.
  /// - Throws: `DecryptingError.failed` for what is no base64url, and for other lengths.
  package init(m: String, k: String, s: String) throws(DecryptingError) {
    try self.init(
      body: BaseEncoding.base64URL.decode(m), salt: BaseEncoding.base64URL.decode(s),
      sender: BaseEncoding.base64URL.decode(k))
  }

  /// toot-relay's shape, `{p, k, s, x}`, all in Z85: the message, the sender's key, the salt.
  /// - Throws: `DecryptingError.failed` for what is no Z85, and for other lengths.
  package init(p: String, k: String, s: String) throws(DecryptingError) {
    try self.init(body: Z85.decode(p), salt: Z85.decode(s), sender: Z85.decode(k))
  }

  init(body: [UInt8], salt: [UInt8], sender: [UInt8]) throws(DecryptingError) {
    guard body.count <= DecryptingLimits.contentBytes, salt.count == 16,
      sender.count == P256PrivateKey.pointCount
    else {
      throw .failed
    }
    self.body = body
    self.salt = salt
    self.sender = sender
  }

  /// Each record is as long as the record size and a tag, but for the last, which is shorter: that is how a
  /// cut is noticed.
  /// - Throws: `DecryptingError.failed`.
  func open(
    with key: WebPushKey, recordSize: Int = defaultRecordSize
  ) throws(DecryptingError) -> [UInt8] {
    let agreement = try key.agreement.agreement(with: sender.span)
    var schedule = try key.subscription.legacySchedule(agreement: agreement, sender: sender, salt: salt)
    let whole = recordSize + Cipher.tagCount
    var plaintext = PlaintextBuffer(capacity: body.count)
    var rest = body[...]
    while true {
      let record = rest.prefix(whole)
      try Self.open(record, schedule, into: &plaintext)
      guard record.count == whole else { return plaintext.bytes() }
      try schedule.advance()
      rest = rest.dropFirst(whole)
    }
  }

  /// A record is `length of the padding(2) | zeros | content`.
  private static func open(
    _ record: ArraySlice<UInt8>, _ schedule: RecordSchedule, into plaintext: inout PlaintextBuffer
  ) throws(DecryptingError) {
    guard record.count >= Cipher.tagCount + 2 else { throw .failed }
    let ciphertext = record.dropLast(Cipher.tagCount)
    var padded = try CipherContext.decrypt(
      ciphertext.span, .aes128GCM, key: schedule.key, iv: schedule.nonce,
      tag: Array(record.suffix(Cipher.tagCount)))
    defer { padded.wipe() }
    let start = 2 + Int(padded[0]) << 8 + Int(padded[1])
    guard start <= padded.count, padded[2..<start].allSatisfy({ $0 == 0 }) else { throw .failed }
    try plaintext.append(padded.span.extracting(droppingFirst: start))
  }

  /// The members `m`, `k` and `s`, in base64url.
  package var members: (m: String, k: String, s: String) {
    (
      BaseEncoding.base64URL.encode(body.span), BaseEncoding.base64URL.encode(sender.span),
      BaseEncoding.base64URL.encode(salt.span)
    )
  }

  /// The members `p`, `k` and `s`, in Z85.
  package var z85Members: (p: String, k: String, s: String) {
    (Z85.encode(body.span), Z85.encode(sender.span), Z85.encode(salt.span))
  }
}
