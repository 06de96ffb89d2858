/// Opens Web Push messages (RFC 8291): `aes128gcm` whose header names the sender's public key instead of a
/// shared one.
enum WebPushDecryptor {
  /// Several records are taken too: senders make them, although section 4 asks for one.
  /// - Throws: `DecryptingError.failed`.
  static func open(_ body: [UInt8], with key: WebPushKey) throws(DecryptingError) -> [UInt8] {
    let sender = try RecordsHeader(body).keyID
    let agreement = try key.agreement.agreement(with: sender.span)
    return try RecordsContent.open(body, with: key.subscription.key(agreement: agreement, sender: sender))
  }
}
