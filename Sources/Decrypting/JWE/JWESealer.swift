internal import Supporting

/// Makes JWEs in the compact serialization.
package enum JWESealer {
  /// What a message is encrypted for.
  package enum Recipient: Sendable {
    /// `dir`
    case shared(Secret)
    /// `ECDH-ES`: the receiver's public key, 65 octets.
    case agreement(point: [UInt8])
  }

  /// - Parameters:
  ///   - keyID: the `kid` of the header: letters, digits and `-._~` only, as nothing is escaped.
  ///   - ephemeral: used for one message only; a new one without it.
  ///   - iv: 12 octets, 16 for A128CBC-HS256; random without it.
  /// - Throws: `DecryptingError.failed` also for a `keyID` of other characters.
  package static func seal(
    _ plaintext: Span<UInt8>, for recipient: Recipient, _ encryption: JWEEncryption, keyID: String,
    ephemeral: P256PrivateKey? = nil, iv: [UInt8]? = nil
  ) throws(DecryptingError) -> String {
    guard keyID.utf8.allSatisfy(\.isUnreserved) else { throw .failed }
    let key: Secret
    var header: String
    switch recipient {
    case .shared(let secret):
      key = secret
      header = #"{"alg":"dir","enc":"\#(encryption.rawValue)","kid":"\#(keyID)"}"#
    case .agreement(let point):
      let ephemeral = if let ephemeral { ephemeral } else { try P256PrivateKey.random() }
      key = try JWEKey.derive(
        ephemeral.agreement(with: point.span), encryption, producer: [], recipient: [])
      let x = BaseEncoding.base64URL.encode(ephemeral.point.span.extracting(1..<33))
      let y = BaseEncoding.base64URL.encode(ephemeral.point.span.extracting(33..<65))
      let point = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#
      header = #"{"alg":"ECDH-ES","enc":"\#(encryption.rawValue)","kid":"\#(keyID)","epk":\#(point)}"#
    }
    header = BaseEncoding.base64URL.encode(header.utf8.span)
    let iv = if let iv { iv } else { try OpenSSL.randomBytes(encryption.ivCount) }
    let sealed = try encryption.seal(plaintext, key: key, iv: iv, additionalData: Array(header.utf8))
    let parts = [iv, sealed.ciphertext, sealed.tag].map { BaseEncoding.base64URL.encode($0.span) }
    return "\(header)..\(parts.joined(separator: "."))"
  }
}

extension JWEKey {
  /// What a sender has to know to encrypt for this key.
  package var recipient: JWESealer.Recipient {
    switch material {
    case .shared(let secret): .shared(secret)
    case .agreement(let key): .agreement(point: key.point)
    }
  }
}
