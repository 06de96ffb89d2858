internal import Decrypting

/// The ciphertext of a payload, and the name of its key.
enum EncryptedContent {
  /// In base64url. The key is nil where only the ciphertext itself names it.
  case aes128gcm(data: String, keyID: String?)
  /// In the compact serialization.
  case jwe(String, keyID: String)
  case legacyWebPush(LegacyWebPushMessage, keyID: String)

  /// - Throws: `DecryptingError.keyUnknown`, `.failed`.
  func open(with ring: KeyRing) throws(DecryptingError) -> [UInt8] {
    switch self {
    case .aes128gcm(let data, let keyID):
      return try ring.open(aes128gcm: BaseEncoding.base64URL.decode(data), keyID: keyID)
    case .jwe(let text, let keyID):
      return try ring.open(jwe: text, keyID: keyID)
    case .legacyWebPush(let message, let keyID):
      return try ring.open(message, keyID: keyID)
    }
  }
}
