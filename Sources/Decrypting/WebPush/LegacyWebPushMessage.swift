internal import Supporting

/// A Web Push message in the older coding `aesgcm` (draft-ietf-webpush-encryption-04,
/// draft-ietf-httpbis-encryption-encoding-03). It has no header: salt and sender's key are
/// separate.
package struct LegacyWebPushMessage: Equatable, Sendable {
  /// The length of content and padding in a record, in bytes.
  package static let defaultRecordSize = 4_096

  let body: [UInt8]
  let salt: [UInt8]
  /// The sender's public key.
  let sender: [UInt8]

  /// Metatext's and IceCubes' form, `{i, m, k, s}`: message, sender's key and salt in base64url.
  package init(m: String, k: String, s: String) throws(DecryptingError) {
    let encoding = BaseEncoding.anyBase64
    try self.init(body: encoding.decode(m), salt: encoding.decode(s), sender: encoding.decode(k))
  }

  /// toot-relay's form, `{p, k, s, x}`: message, sender's key and salt in Z85.
  package init(p: String, k: String, s: String) throws(DecryptingError) {
    try self.init(body: Z85.decode(p), salt: Z85.decode(s), sender: Z85.decode(k))
  }

  init(body: [UInt8], salt: [UInt8], sender: [UInt8]) throws(DecryptingError) {
    guard body.count <= DecryptingLimits.contentBytes, salt.count == 16,
      sender.count == P256PrivateKey.pointCount
    else { throw .failed }
    self.body = body
    self.salt = salt
    self.sender = sender
  }

  /// Every record has `recordSize` bytes and a tag, but the last is shorter, so cuts are noticed.
  func open(with key: WebPushKey, recordSize: Int = defaultRecordSize) throws(DecryptingError) -> [UInt8] {
    let agreement = try key.agreement.agreement(with: sender.span)
    var schedule = try key.legacySchedule(agreement: agreement, sender: sender, salt: salt)
    let whole = recordSize + Cipher.tagCount
    var plaintext = PlaintextBuffer(capacity: body.count)
    var rest = body[...]
    while true {
      try Self.open(rest.prefix(whole), schedule, into: &plaintext)
      guard rest.count >= whole else { return plaintext.bytes() }
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

  package var members: (m: String, k: String, s: String) {
    let encoding = BaseEncoding.base64URL
    return (encoding.encode(body.span), encoding.encode(sender.span), encoding.encode(salt.span))
  }

  package var z85Members: (p: String, k: String, s: String) {
    (Z85.encode(body.span), Z85.encode(sender.span), Z85.encode(salt.span))
  }
}
