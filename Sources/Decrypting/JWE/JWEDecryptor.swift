/// Opens JWEs.
enum JWEDecryptor {
  /// - Parameter header: what `message.header` says.
  /// - Throws: `DecryptingError.failed` unless all of it is authentic and as the key's record says.
  static func open(
    _ message: JWEMessage, header: JWEHeader, with key: JWEKey
  ) throws(DecryptingError) -> [UInt8] {
    guard header.encryption == key.encryption else { throw .failed }
    return try key.encryption.open(
      message.ciphertext, tag: message.tag, key: contentKey(header, key), iv: message.iv,
      additionalData: message.additionalData)
  }

  private static func contentKey(_ header: JWEHeader, _ key: JWEKey) throws(DecryptingError) -> Secret {
    switch (header.algorithm, key.material) {
    case (.direct, .shared(let secret)): return secret
    case (.agreement, .agreement(let own)):
      guard let ephemeral = header.ephemeral else { throw .failed }
      return try JWEKey.derive(
        own.agreement(with: ephemeral.span), key.encryption, producer: header.producer,
        recipient: header.recipient)
    default: throw .failed
    }
  }
}
