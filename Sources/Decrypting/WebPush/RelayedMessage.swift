/// What a relay puts into a payload: a Web Push message, whose parts are texts in the relay's encoding. The lengths
/// of the parts tell it from other payloads with members of the same names.
package enum RelayedMessage: Sendable {
  /// RFC 8291, which needs nothing beside it: salt and sender's key are its header.
  case current([UInt8])
  case legacy(LegacyWebPushMessage)

  package enum Encoding: Sendable {
    case base64, z85

    fileprivate func decode(_ text: String?) -> [UInt8]? {
      guard let text else { return nil }
      return switch self {
      case .base64: try? BaseEncoding.anyBase64.decode(text)
      case .z85: try? Z85.decode(text)
      }
    }
  }

  /// Members by the names that the relay gives them.
  package typealias Member = (name: String, text: String?)

  /// Nil if these are no parts of a message.
  /// Throws `DecryptingError.incomplete` if only one of sender's key and salt is there, or `.failed`.
  package init?(
    _ message: String, sender: Member, salt: Member, in encoding: Encoding
  ) throws(DecryptingError) {
    let point = encoding.decode(sender.text).flatMap { $0.count == P256PrivateKey.pointCount ? $0 : nil }
    let random = encoding.decode(salt.text).flatMap { $0.count == 16 ? $0 : nil }
    let body = encoding.decode(message)
    switch (point, random) {
    case (let point?, let random?):
      guard let body else { throw .failed }
      self = .legacy(try LegacyWebPushMessage(body: body, salt: random, sender: point))
    case (nil, nil):
      guard let body, let header = try? RecordsHeader(body), header.keyID.count == P256PrivateKey.pointCount,
        header.keyID.first == 4
      else { return nil }
      self = .current(body)
    case (_?, nil):
      if salt.text != nil { throw .failed }
      throw .incomplete(missing: salt.name, beside: sender.name)
    case (nil, _?):
      // 16 bytes are no mark by themselves.
      if sender.text != nil { return nil }
      throw .incomplete(missing: sender.name, beside: salt.name)
    }
  }
}
