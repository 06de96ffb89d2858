internal import Supporting

/// A Web Push message as a relay puts it into a payload: each part is a string in the relay's encoding. The lengths
/// of the parts distinguish it from other payloads with members of the same names.
package enum RelayedMessage: Sendable {
  /// RFC 8291. Needs no other parts, because its header has the salt and the sender's key.
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

  /// A member of the payload: the name that the relay gives it, and its text if it is there.
  package typealias Member = (name: String, text: String?)

  /// Returns nil if these are not the parts of a message.
  /// Throws `DecryptingError.incomplete` if only the salt or only the sender's key is there; otherwise `.failed`.
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
      // A member of 16 bytes alone proves nothing.
      if sender.text != nil { return nil }
      throw .incomplete(missing: sender.name, beside: salt.name)
    }
  }
}
