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

  /// A reader for one file. Takes about 32 KB while it lives.
  /// - Throws: `DecryptingError.failed` when OpenSSL has no memory.
  package func makeDecryptor() throws(DecryptingError) -> MediaDecryptor {
    switch self {
    case .records(let key): MediaDecryptor(RecordsDecryptor(key))
    case .matrix(let key): MediaDecryptor(try MatrixDecryptor(key))
    case .xmpp(let key): MediaDecryptor(try XMPPDecryptor(key))
    case .signal(let key): MediaDecryptor(try SignalDecryptor(key))
    }
  }
}
