/// A key for JWEs and its purpose. It does not open a message whose header states another purpose.
package struct JWEKey: Sendable {
  enum Material: Sendable {
    case shared(Secret)
    case agreement(P256PrivateKey)
  }

  let material: Material
  package let encryption: JWEEncryption

  /// A key for `dir`. Throws if `encryption` takes a key of another length.
  package init(shared key: Secret, _ encryption: JWEEncryption) throws(DecryptingError) {
    guard key.count == encryption.keyCount else { throw .failed }
    material = .shared(key)
    self.encryption = encryption
  }

  package init(agreement key: P256PrivateKey, _ encryption: JWEEncryption) {
    material = .agreement(key)
    self.encryption = encryption
  }

  func open(_ message: JWEMessage, header: JWEHeader) throws(DecryptingError) -> [UInt8] {
    guard header.encryption == encryption else { throw .failed }
    let key: Secret
    switch (material, header.algorithm) {
    case (.shared(let secret), .direct): key = secret
    case (.agreement(let own), .agreement(let ephemeral)):
      let agreement = try own.agreement(with: ephemeral.span)
      key = try Self.derive(agreement, encryption, producer: header.producer, recipient: header.recipient)
    default: throw .failed
    }
    return try encryption.open(
      message.ciphertext, tag: message.tag, key: key, iv: message.iv, additionalData: message.additionalData)
  }

  /// Derives the key of the content with the Concat KDF (RFC 7518 section 4.6.2).
  static func derive(
    _ agreement: Secret, _ encryption: JWEEncryption, producer: [UInt8], recipient: [UInt8]
  ) throws(DecryptingError) -> Secret {
    let word = { (value: Int) in UInt32(truncatingIfNeeded: value).bytes }
    let parts = [Array(encryption.rawValue.utf8), producer, recipient]
    let info = parts.flatMap { word($0.count) + $0 } + word(encryption.keyCount * 8)
    return try KeyDerivation.concatKDF(agreement, info: info, count: encryption.keyCount)
  }
}
