/// The key of content or media in the `aes128gcm` coding (RFC 8188).
package struct RecordsKey: Sendable {
  /// The input keying material.
  let secret: Secret
  /// What the header of the body has to name, unless it names nothing; nil where the payload names no key.
  let keyID: [UInt8]?

  /// - Parameter secret: 16 octets or more.
  /// - Throws: `DecryptingError.failed` for fewer.
  package init(_ secret: Secret, keyID: [UInt8]? = nil) throws(DecryptingError) {
    guard secret.count >= 16 else { throw .failed }
    self.secret = secret
    self.keyID = keyID
  }

  /// The keys of one message (RFC 8188 sections 2.2 and 2.3).
  func schedule(salt: Span<UInt8>) throws(DecryptingError) -> RecordSchedule {
    try RecordSchedule(secret, salt: salt, coding: "aes128gcm")
  }

  /// Opens content, with the reader that media go through.
  /// - Throws: `DecryptingError.failed`; nothing of the plaintext is left then.
  func open(_ body: [UInt8]) throws(DecryptingError) -> [UInt8] {
    guard body.count <= DecryptingLimits.contentBytes else { throw .failed }
    var decryptor = RecordsDecryptor(pieceBytes: body.count) { [self] _ in self }
    var plaintext = PlaintextBuffer(capacity: body.count)
    let sink = { (piece: Span<UInt8>) throws(DecryptingError) in try plaintext.append(piece) }
    try decryptor.update(body.span, sink)
    try decryptor.finish(sink)
    return plaintext.bytes()
  }
}
