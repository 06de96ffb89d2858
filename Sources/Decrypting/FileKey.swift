/// What a media reference says of how its file is encrypted: the key, and with it the format.
package enum FileKey: Sendable {
  /// The `aes128gcm` coding (RFC 8188).
  case records(RecordsKey)
  /// A Matrix attachment, version 2.
  case matrix(MatrixKey)
  /// A file behind an `aesgcm://` URL (XEP-0454).
  case xmpp(XMPPKey)
  /// An attachment as Signal makes them.
  case signal(SignalKey)

  /// A reader for one file. Takes up to three such pieces and 16 KB while it lives.
  /// - Parameter pieceBytes: octets of plaintext that are passed on at once: fewer and larger writes for that
  ///   much memory.
  /// - Throws: `DecryptingError.failed` when OpenSSL has no memory.
  package func makeDecryptor(
    pieceBytes: Int = MediaDecryptor.defaultPieceBytes
  ) throws(DecryptingError) -> MediaDecryptor {
    switch self {
    case .records(let key): MediaDecryptor(RecordsDecryptor(.key(key), pieceBytes: pieceBytes))
    case .matrix(let key): MediaDecryptor(try MatrixDecryptor(key, pieceBytes: pieceBytes))
    case .xmpp(let key): MediaDecryptor(try XMPPDecryptor(key, pieceBytes: pieceBytes))
    case .signal(let key): MediaDecryptor(try SignalDecryptor(key, pieceBytes: pieceBytes))
    }
  }
}
