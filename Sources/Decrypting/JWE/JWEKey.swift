/// A key for JWEs and what it is for: a message whose header says otherwise is not opened with it.
package struct JWEKey: Sendable {
  enum Material: Sendable {
    case shared(Secret)
    case agreement(P256PrivateKey)
  }

  let material: Material
  package let encryption: JWEEncryption

  /// For `dir`.
  /// - Throws: `DecryptingError.failed` for another number of octets than `encryption` takes.
  package init(shared key: Secret, _ encryption: JWEEncryption) throws(DecryptingError) {
    guard key.count == encryption.keyCount else { throw .failed }
    material = .shared(key)
    self.encryption = encryption
  }

  /// For `ECDH-ES`.
  package init(agreement key: P256PrivateKey, _ encryption: JWEEncryption) {
    material = .agreement(key)
    self.encryption = encryption
  }

  /// - Parameter header: what `message.header` says.
  /// - Throws: `DecryptingError.failed` unless all of it is authentic and as the key's record says.
  func open(_ message: JWEMessage, header: JWEHeader) throws(DecryptingError) -> [UInt8] {
    guard header.encryption == encryption else { throw .failed }
    return try encryption.open(
      message.ciphertext, tag: message.tag, key: contentKey(header), iv: message.iv,
      additionalData: message.additionalData)
  }

  private func contentKey(_ header: JWEHeader) throws(DecryptingError) -> Secret {
    switch (material, header.algorithm) {
    case (.shared(let secret), .direct): return secret
    case (.agreement(let own), .agreement(let ephemeral)):
      return try Self.derive(
        own.agreement(with: ephemeral.span), encryption, producer: header.producer,
        recipient: header.recipient)
    default: throw .failed
    }
  }

  /// What the Concat KDF makes the content's key of (RFC 7518 section 4.6.2).
  static func derive(
    _ agreement: Secret, _ encryption: JWEEncryption, producer: [UInt8], recipient: [UInt8]
  ) throws(DecryptingError) -> Secret {
    let info =
      lengthFirst(Array(encryption.rawValue.utf8)) + lengthFirst(producer) + lengthFirst(recipient)
      + word(encryption.keyCount * 8)
    return try KeyDerivation.concatKDF(agreement, info: info, count: encryption.keyCount)
  }

  private static func lengthFirst(_ bytes: [UInt8]) -> [UInt8] { word(bytes.count) + bytes }

  private static func word(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
