internal import Supporting

/// The key of a file that is encrypted as one stream, from its reference.
package struct StreamKey: Sendable {
  let format: StreamFormat
  /// All keys, in the order of the format.
  package let secret: Secret
  /// Empty if the file starts with it.
  package let iv: [UInt8]
  /// The SHA-256 of the file; empty if the format has none.
  package let digest: [UInt8]
  /// Bytes of the plaintext; nil if the format does not hide its size.
  let size: Int?

  init(
    _ format: StreamFormat, _ secret: Secret, iv: [UInt8] = [], digest: [UInt8] = [], size: Int? = nil
  ) throws(DecryptingError) {
    guard secret.count == format.keyCount, digest.count == (format.hasDigest ? SHA256.length : 0),
      format.startsWithIV ? iv.isEmpty : format.cipher.ivCounts.contains(iv.count),
      format.hidesSize == (size != nil), size ?? 0 >= 0
    else { throw .failed }
    self.format = format
    self.secret = secret
    self.iv = iv
    self.digest = digest
    self.size = size
  }

  /// From the members of a Matrix event's `file`: `v`, `key.kty`, `key.alg`, `key.k`, `iv`, `hashes.sha256`.
  /// Throws if the counter does not start at zero: that is version 1, which carries differently from OpenSSL.
  package init(
    matrixVersion version: String, keyType: String, algorithm: String, key: Span<UInt8>, iv: String,
    sha256: String
  ) throws(DecryptingError) {
    guard version == "v2", keyType == "oct", algorithm == "A256CTR" else { throw .failed }
    try self.init(.matrix, Secret(text: key), iv: Self.decodePadded(iv), digest: Self.decodePadded(sha256))
    guard self.iv.suffix(format.counterCount).allSatisfy({ $0 == 0 }) else { throw .failed }
  }

  /// The digits after `#` in an `aesgcm://` URL: 24 (or 32) of the initialisation vector, 64 of the key.
  package init(xmppFragment digits: Span<UInt8>) throws(DecryptingError) {
    let ivDigits = max(0, digits.count - StreamFormat.xmpp.keyCount * 2)
    try self.init(
      .xmpp, Secret(text: digits.extracting(droppingFirst: ivDigits), in: .base16),
      iv: BaseEncoding.base16.decode(digits.extracting(first: ivDigits)))
  }

  /// Keys and digest in base64url. `size` is that of the plaintext without its padding.
  package init(signal key: Span<UInt8>, digest: String, size: Int) throws(DecryptingError) {
    try self.init(.signal, Secret(text: key), digest: BaseEncoding.base64URL.decode(digest), size: size)
  }

  /// With or without padding, as spec.matrix.org asks (appendices, "Unpadded Base64").
  private static func decodePadded(_ text: String) throws(DecryptingError) -> [UInt8] {
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding == 0 || padding <= 2 && text.utf8.count.isMultiple(of: 4) else { throw .failed }
    return try BaseEncoding.base64.decode(text.utf8.span.extracting(droppingLast: padding))
  }
}
