internal import Supporting

/// The key of a file behind an `aesgcm://` URL (XEP-0454): what the URL's fragment says.
package struct XMPPKey: Sendable {
  let key: Secret
  /// 12 octets, 16 in links of the first clients.
  let iv: [UInt8]

  /// - Parameter digits: the digits after `#`: 24 (or 32) of the initialisation vector, then 64 of the key.
  /// - Throws: `DecryptingError.failed` for another number of digits, and what is no digit.
  package init(fragment digits: Span<UInt8>) throws(DecryptingError) {
    let ivDigits = digits.count - Cipher.aes256GCM.keyCount * 2
    guard ivDigits == 24 || ivDigits == 32 else { throw .failed }
    iv = try Hexadecimal.decode(digits.extracting(first: ivDigits))
    key = try Secret(hexadecimal: digits.extracting(droppingFirst: ivDigits))
  }

  /// - Throws: `DecryptingError.failed` for a key or an initialisation vector of another length.
  init(key: Secret, iv: [UInt8]) throws(DecryptingError) {
    guard key.count == Cipher.aes256GCM.keyCount, Cipher.aes256GCM.ivCounts.contains(iv.count) else {
      throw .failed
    }
    self.key = key
    self.iv = iv
  }

  /// The fragment of the URL, the key among it.
  package func revealed() -> String { String(hexadecimal: iv.span) + key.revealedAsHexadecimal() }
}
