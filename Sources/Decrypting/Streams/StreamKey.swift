internal import Supporting

/// The keys of a file that is encrypted as one stream, and what else its reference says of it.
package struct StreamKey: Sendable {
  let format: StreamFormat
  /// All keys in the order that the format defines.
  package let secret: Secret
  /// The initialization vector. Empty if the file starts with it.
  package let iv: [UInt8]
  /// The SHA-256 of the file; empty if the format has none.
  package let digest: [UInt8]
  /// The size of the plaintext in bytes; nil if the format does not hide it.
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

  /// From `v`, `key.kty`, `key.alg`, `key.k`, `iv` and `hashes.sha256` in a Matrix event's `file`.
  /// Throws unless the counter starts at zero. Version 1 starts elsewhere and carries differently
  /// from OpenSSL.
  package init(
    matrixVersion version: String, keyType: String, algorithm: String, key: Span<UInt8>, iv: String,
    sha256: String
  ) throws(DecryptingError) {
    guard version == "v2", keyType == "oct", algorithm == "A256CTR" else { throw .failed }
    try self.init(.matrix, Secret(text: key), iv: Self.decodePadded(iv), digest: Self.decodePadded(sha256))
    guard self.iv.suffix(format.counterCount).allSatisfy({ $0 == 0 }) else { throw .failed }
  }

  /// From the digits after `#` in an `aesgcm://` URL: 24 or 32 of the `iv`, then 64 of the key.
  package init(xmppFragment digits: Span<UInt8>) throws(DecryptingError) {
    let ivDigits = max(0, digits.count - StreamFormat.xmpp.keyCount * 2)
    try self.init(
      .xmpp, Secret(text: digits.extracting(droppingFirst: ivDigits), in: .base16),
      iv: BaseEncoding.base16.decode(digits.extracting(first: ivDigits)))
  }

  /// From keys and digest in base64url. `size` is the size of the plaintext without padding.
  package init(signal key: Span<UInt8>, digest: String, size: Int) throws(DecryptingError) {
    try self.init(.signal, Secret(text: key), digest: BaseEncoding.base64URL.decode(digest), size: size)
  }

  /// Padding is optional, as spec.matrix.org requires (appendices, "Unpadded Base64").
  private static func decodePadded(_ text: String) throws(DecryptingError) -> [UInt8] {
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding == 0 || padding <= 2 && text.utf8.count.isMultiple(of: 4) else { throw .failed }
    return try BaseEncoding.base64.decode(text.utf8.span.extracting(droppingLast: padding))
  }
}
