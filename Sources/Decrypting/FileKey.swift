/// How a file is encrypted according to its media reference: the format and the key.
package enum FileKey: Sendable {
  /// The `aes128gcm` coding (RFC 8188).
  case records(RecordsKey)
  case stream(StreamKey)

  /// A decryptor for one file. As long as it exists, it takes up to twice `pieceBytes` plus 16 KB.
  /// - Parameter pieceBytes: the bytes of plaintext to pass on at once. More means fewer writes.
  package func makeDecryptor(
    pieceBytes: Int = MediaDecryptor.defaultPieceBytes
  ) throws(DecryptingError) -> MediaDecryptor {
    switch self {
    case .records(let key): MediaDecryptor(RecordsDecryptor(pieceBytes: pieceBytes) { _ in key })
    case .stream(let key): MediaDecryptor(try StreamDecryptor(key, pieceBytes: pieceBytes))
    }
  }
}
