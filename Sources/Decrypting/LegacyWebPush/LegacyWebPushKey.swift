extension WebPushSubscription {
  /// The keys that both sides have for one message in the older coding.
  /// - Parameters:
  ///   - agreement: what ECDH makes of either side's private key and the other's public one.
  ///   - sender: the sender's public key, 65 octets.
  func legacySchedule(
    agreement: Secret, sender: [UInt8], salt: [UInt8]
  ) throws(DecryptingError) -> RecordSchedule {
    let secret = try authentication.withSpan { (salt) throws(DecryptingError) in
      try KeyDerivation.hkdf(agreement, salt: salt, info: Array("Content-Encoding: auth\0".utf8), count: 32)
    }
    let length: [UInt8] = [0, UInt8(P256PrivateKey.pointCount)]
    let context = Array("P-256\0".utf8) + length + point + length + sender
    return RecordSchedule(
      key: try KeyDerivation.hkdf(
        secret, salt: salt.span, info: Array("Content-Encoding: aesgcm\0".utf8) + context,
        count: Cipher.aes128GCM.keyCount),
      nonce: try KeyDerivation.hkdf(
        secret, salt: salt.span, info: Array("Content-Encoding: nonce\0".utf8) + context,
        count: RecordSchedule.nonceCount))
  }
}
