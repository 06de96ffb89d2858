/// A key for content or media in the `aes128gcm` coding (RFC 8188).
package struct RecordsKey: Sendable {
  /// The input keying material, 16 bytes or more.
  let secret: Secret
  /// The only name that the body's header may state; nil if it may state any name.
  let keyID: [UInt8]?

  package init(_ secret: Secret, keyID: [UInt8]? = nil) throws(DecryptingError) {
    guard secret.count >= 16 else { throw .failed }
    self.secret = secret
    self.keyID = keyID
  }

  func schedule(salt: Span<UInt8>) throws(DecryptingError) -> RecordSchedule {
    try RecordSchedule(secret, salt: salt, coding: "aes128gcm")
  }

  /// Opens content with the decryptor for media. If it fails, no plaintext is left in memory.
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
