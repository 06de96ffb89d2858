/// Opens content in the `aes128gcm` coding, with the reader that media go through.
enum RecordsContent {
  /// - Throws: `DecryptingError.failed`; nothing of the plaintext is left then.
  static func open(_ body: [UInt8], with key: RecordsKey) throws(DecryptingError) -> [UInt8] {
    guard body.count <= ContentLimit.octets else { throw .failed }
    var decryptor = RecordsDecryptor(.key(key), pieceBytes: body.count)
    var plaintext = PlaintextBuffer(capacity: body.count)
    let sink = { (piece: Span<UInt8>) throws(DecryptingError) in
      try plaintext.append(piece) { _ throws(DecryptingError) in throw .failed }
    }
    try decryptor.update(body.span, sink)
    try decryptor.finish(sink)
    return plaintext.bytes()
  }
}
