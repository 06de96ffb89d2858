internal import Supporting

/// The keys of a file that is encrypted as one stream, and what else its reference says about it.
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
  /// Throws for version 1. Its counter starts anywhere, and its carry differs from OpenSSL's.
  package init(
    matrixVersion version: String, keyType: String, algorithm: String, key: Span<UInt8>, iv: String,
    sha256: String
  ) throws(DecryptingError) {
    guard version == "v2", keyType == "oct", algorithm == "A256CTR" else { throw .failed }
    let encoding = BaseEncoding.anyBase64
    try self.init(.matrix, Secret(text: key), iv: encoding.decode(iv), digest: encoding.decode(sha256))
  }

  /// From the digits after `#` in an `aesgcm://` URL: 24 or 32 of the `iv`, then 64 of the key.
  package init(xmppFragment digits: Span<UInt8>) throws(DecryptingError) {
    let ivDigits = max(0, digits.count - StreamFormat.xmpp.keyCount * 2)
    try self.init(
      .xmpp, Secret(text: digits.extracting(droppingFirst: ivDigits), in: .base16),
      iv: BaseEncoding.base16.decode(digits.extracting(first: ivDigits)))
  }

  /// From keys and digest in base64 or base64url. `size` is the size of the plaintext without padding.
  package init(signal key: Span<UInt8>, digest: String, size: Int) throws(DecryptingError) {
    try self.init(.signal, Secret(text: key), digest: BaseEncoding.anyBase64.decode(digest), size: size)
  }

  /// The most blocks of ciphertext before the counter in `iv` overflows. After that, some implementations carry into
  /// the upper half of `iv`, as OpenSSL does, and others do not: the same file would have two plaintexts. Nil if the
  /// format has no counter.
  var maximumBlocks: UInt64? {
    guard format.counterCount > 0 else { return nil }
    let counter = iv.suffix(format.counterCount).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return counter == 0 ? .max : ~counter + 1
  }
}
