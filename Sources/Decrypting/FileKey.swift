/// What a media reference says of how its file is encrypted: the key, and with it the format.
package enum FileKey: Sendable {
  /// The `aes128gcm` coding (RFC 8188).
  case records(RecordsKey)
  case stream(StreamKey)

  /// A reader for one file. Takes up to two such pieces and 16 KB while it lives.
  /// - Parameter pieceBytes: octets of plaintext that are passed on at once: fewer and larger writes for that
  ///   much memory.
  /// - Throws: `DecryptingError.failed` when OpenSSL has no memory.
  package func makeDecryptor(
    pieceBytes: Int = MediaDecryptor.defaultPieceBytes
  ) throws(DecryptingError) -> MediaDecryptor {
    switch self {
    case .records(let key): MediaDecryptor(RecordsDecryptor(pieceBytes: pieceBytes) { _ in key })
    case .stream(let key): MediaDecryptor(try StreamDecryptor(key, pieceBytes: pieceBytes))
    }
  }
}
