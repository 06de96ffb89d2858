internal import Supporting

package enum JWESealer {
  /// - Parameters:
  ///   - keyID: the `kid` of the header. It is not escaped, so only letters, digits and `-._~`.
  ///   - ephemeral: a key for this message only; by default a new one.
  ///   - iv: 12 bytes, or 16 for A128CBC-HS256; by default random.
  package static func seal(
    _ plaintext: Span<UInt8>, for recipient: JWEKey, keyID: String, ephemeral: P256PrivateKey? = nil,
    iv: [UInt8]? = nil
  ) throws(DecryptingError) -> String {
    guard keyID.utf8.allSatisfy(\.isUnreserved) else { throw .failed }
    let base64URL = BaseEncoding.base64URL
    let encryption = recipient.encryption
    let key: Secret
    var header: String
    switch recipient.material {
    case .shared(let secret):
      key = secret
      header = #"{"alg":"dir","enc":"\#(encryption.rawValue)","kid":"\#(keyID)"}"#
    case .agreement(let own):
      let ephemeral = if let ephemeral { ephemeral } else { try P256PrivateKey.random() }
      key = try JWEKey.derive(
        ephemeral.agreement(with: own.point.span), encryption, producer: [], recipient: [])
      let x = base64URL.encode(ephemeral.point.span.extracting(1..<33))
      let y = base64URL.encode(ephemeral.point.span.extracting(33..<65))
      let point = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#
      header = #"{"alg":"ECDH-ES","enc":"\#(encryption.rawValue)","kid":"\#(keyID)","epk":\#(point)}"#
    }
    header = base64URL.encode(header.utf8.span)
    let iv = if let iv { iv } else { try OpenSSL.randomBytes(encryption.ivCount) }
    let sealed = try encryption.seal(plaintext, key: key, iv: iv, additionalData: Array(header.utf8))
    let parts = [iv, sealed.ciphertext, sealed.tag].map { base64URL.encode($0.span) }
    return "\(header)..\(parts.joined(separator: "."))"
  }
}
