internal import Supporting

/// The key of a Matrix attachment: what the `file` object of an encrypted event says (client-server API,
/// "Sending encrypted attachments"), version 2.
package struct MatrixKey: Sendable {
  let key: Secret
  /// 16 octets, the last eight of them zero: the counter.
  let iv: [UInt8]
  /// The SHA-256 of the ciphertext: the only thing that vouches for it, so `file` itself has to come from
  /// inside a ciphertext.
  let sha256: [UInt8]

  /// What the members of a `file` object say, as they stand there.
  package struct Text: Equatable, Sendable {
    /// `v`
    package var version: String
    /// `key.kty`
    package var keyType: String
    /// `key.alg`
    package var algorithm: String
    /// `key.k`, in base64url
    package var key: String
    /// In base64, padded or not
    package var iv: String
    /// `hashes.sha256`, in base64, padded or not
    package var sha256: String

    package init(
      version: String, keyType: String, algorithm: String, key: String, iv: String, sha256: String
    ) {
      self.version = version
      self.keyType = keyType
      self.algorithm = algorithm
      self.key = key
      self.iv = iv
      self.sha256 = sha256
    }
  }

  /// - Throws: `DecryptingError.failed` for other versions and algorithms, texts in the wrong alphabet, and a
  ///   counter that does not start at zero: version 1 did that, and its counter carries otherwise than
  ///   OpenSSL's.
  package init(
    version: String, keyType: String, algorithm: String, key: Span<UInt8>, iv: String, sha256: String
  ) throws(DecryptingError) {
    guard version == "v2", keyType == "oct", algorithm == "A256CTR" else { throw .failed }
    try self.init(key: Secret(base64URL: key), iv: Self.decode(iv), sha256: Self.decode(sha256))
  }

  /// With padding or without: "implementations SHOULD" take both (spec.matrix.org, appendices, "Unpadded
  /// Base64").
  private static func decode(_ text: String) throws(DecryptingError) -> [UInt8] {
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding == 0 || padding <= 2 && text.utf8.count.isMultiple(of: 4) else { throw .failed }
    return try Base64.standard.decode(String(decoding: text.utf8.dropLast(padding), as: UTF8.self))
  }

  init(key: Secret, iv: [UInt8], sha256: [UInt8]) throws(DecryptingError) {
    guard key.count == Cipher.aes256CTR.keyCount, iv.count == 16, iv[8...].allSatisfy({ $0 == 0 }),
      sha256.count == SHA256.length
    else { throw .failed }
    self.key = key
    self.iv = iv
    self.sha256 = sha256
  }

  /// What the `file` object says of this key, the key itself among it.
  package func revealed() -> Text {
    Text(
      version: "v2", keyType: "oct", algorithm: "A256CTR", key: key.revealedAsBase64URL(),
      iv: Base64.standard.encode(iv.span), sha256: Base64.standard.encode(sha256.span))
  }
}
