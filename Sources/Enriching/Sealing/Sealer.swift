internal import Decrypting
package import Notifications

/// Makes messages and media that `Enricher` can open, so that users can try their pipeline.
package struct Sealer: Sendable {
  private let ring: KeyRing

  /// - Parameter keys: nil if only media are sealed, each with a key of its own.
  /// - Throws: `SealingError.keys`.
  package init(keys: KeyLocation?) throws(SealingError) {
    self.init(
      try rethrowing(as: SealingError.keys) { () throws(KeyFileError) in
        if let keys { try KeyStore.keys(at: keys) } else { KeyRing() }
      })
  }

  init(_ ring: KeyRing) { self.ring = ring }

  /// Puts `content`, a JSON object, into `payload` as ciphertext for the key `keyID`, whose record says in
  /// which format.
  /// - Parameter shape: nil for the usual one of the format.
  /// - Returns: the payload to send.
  package func seal(
    content: [UInt8], keyID: String, as shape: ContentShape? = nil, into payload: Payload
  ) throws(SealingError) -> [UInt8] {
    guard let document = try? JSONDocument(content), document.root.kind == .object else {
      throw .notAnObject
    }
    return payload.setting(try members(sealing: content.span, keyID: keyID, as: shape))
  }

  /// Encrypts a file.
  /// - Parameters:
  ///   - url: where the encrypted file will be.
  ///   - keyID: of a key for `aes128gcm`, which the entry names and does not contain; nil for a new key.
  /// - Returns: the encrypted file, and the JSON object for the `media` of encrypted content.
  package func seal(
    media: [UInt8], as format: MediaEncryptionFormat, url: String, keyID: String? = nil
  ) throws(SealingError) -> (file: [UInt8], entry: [UInt8]) {
    if let keyID {
      guard format == .aes128gcm, case .records(let key) = try record(keyID) else {
        throw .keyUnsuitable(keyID, expected: "media name keys of the format aes128gcm only")
      }
      let file = try sealing { () throws(DecryptingError) in
        try RecordsSealer(key, recordSize: SealedMedium.recordSize).seal(media.span)
      }
      return (file, SealedMedium.entry(url: url, keyID: keyID))
    }
    return try sealing { () throws(DecryptingError) in
      try SealedMedium.seal(media.span, as: format, url: url)
    }
  }

  private func members(
    sealing content: Span<UInt8>, keyID: String, as shape: ContentShape?
  ) throws(SealingError) -> [SealedContent.Member] {
    switch (try record(keyID), shape) {
    case (.records(let key), nil), (.records(let key), .own):
      let body = try sealing { () throws(DecryptingError) in try RecordsSealer(key).seal(content) }
      return SealedContent.own(
        coding: "aes128gcm", keyID: keyID, data: BaseEncoding.base64URL.encode(body.span))
    case (.records(let key), .apple):
      let body = try sealing { () throws(DecryptingError) in try RecordsSealer(key).seal(content) }
      return SealedContent.apple(BaseEncoding.base64URL.encode(body.span))
    case (.webPush(let key), nil), (.webPush(let key), .own):
      let body = try sealing { () throws(DecryptingError) in
        try WebPushSealer.seal(content, for: key.subscription)
      }
      return SealedContent.own(
        coding: "aes128gcm", keyID: keyID, data: BaseEncoding.base64URL.encode(body.span))
    case (.jwe(let key), nil), (.jwe(let key), .own):
      let text = try sealing { () throws(DecryptingError) in
        try JWESealer.seal(content, for: key.recipient, key.encryption, keyID: keyID)
      }
      return SealedContent.own(coding: "jwe", keyID: keyID, data: text)
    case (.legacyWebPush(let key), let shape):
      let message = try sealing { () throws(DecryptingError) in
        try LegacyWebPushSealer.seal(content, for: key.subscription)
      }
      switch shape {
      case nil, .metatext: return SealedContent.metatext(message, keyID: keyID)
      case .tootRelay: return SealedContent.tootRelay(message, keyID: keyID)
      case .own, .apple: throw .keyUnsuitable(keyID, expected: "aesgcm comes as metatext or toot-relay")
      }
    case (_, let shape):
      throw .keyUnsuitable(keyID, expected: "\(shape?.rawValue ?? "this") takes a key of another format")
    }
  }

  private func record(_ keyID: String) throws(SealingError) -> KeyRecord {
    try rethrowing(as: { _ in SealingError.keyUnknown(keyID) }) { () throws(DecryptingError) in
      try ring.record(keyID)
    }
  }

  private func sealing<Sealed>(
    _ seal: () throws(DecryptingError) -> Sealed
  ) throws(SealingError) -> Sealed {
    try rethrowing(as: { _ in SealingError.failed }, seal)
  }
}
