/// How a file is encrypted, as its media reference says: the key, and with it the format.
package enum FileKey: Sendable {
  /// The `aes128gcm` coding (RFC 8188).
  case records(RecordsKey)
  case stream(StreamKey)

  /// A decryptor for one file. It takes up to twice `pieceBytes` and 16 KB while it lives.
  /// - Parameter pieceBytes: bytes of plaintext passed on at once. A larger piece means fewer writes.
  package func makeDecryptor(
    pieceBytes: Int = MediaDecryptor.defaultPieceBytes
  ) throws(DecryptingError) -> MediaDecryptor {
    switch self {
    case .records(let key): MediaDecryptor(RecordsDecryptor(pieceBytes: pieceBytes) { _ in key })
    case .stream(let key): MediaDecryptor(try StreamDecryptor(key, pieceBytes: pieceBytes))
    }
  }
}
