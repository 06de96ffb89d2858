internal import Decrypting
internal import Notifications

/// How senders put ciphertext into a payload. The first shape that a payload has counts, even if it
/// cannot be opened. The raw values are those of `seal content --shape`.
package enum ContentShape: String, CaseIterable, Sendable {
  /// This project's own: `"enc":{"v":1,"ce":"aes128gcm|jwe","kid":"…","data":"…"}`.
  case own = "enc"
  /// From Apple's "Modifying content in newly delivered notifications". Like `data` of `own`, but
  /// the ciphertext names its key.
  case apple = "encrypted-data"
  /// From metatext-apns, and IceCubes after it: account, message, sender's key, salt, in base64url.
  case metatext
  /// From toot-relay: message, sender's key and salt in Z85, and the account from its request's
  /// path.
  case tootRelay = "toot-relay"

  /// The members of the payload that hold the ciphertext.
  var members: [String] {
    switch self {
    case .own: ["enc"]
    case .apple: ["ENCRYPTED_DATA"]
    case .metatext: ["i", "m", "k", "s"]
    case .tootRelay: ["p", "k", "s", "x"]
    }
  }

  /// The member of the plaintext that holds the URL of a picture, for senders that have no `media`.
  var picture: String? { self == .metatext || self == .tootRelay ? "icon" : nil }

  /// - Returns: the plaintext, or nil if `object` does not have this shape.
  /// - Throws: `DecryptingError.keyUnknown`, or `.failed`, also for malformed members.
  func open(_ object: JSONValue, with ring: KeyRing) throws(DecryptingError) -> [UInt8]? {
    func text(_ name: String) -> String? { object[name]?.string }
    switch self {
    case .own:
      guard let content = object["enc"], content["ce"] != nil || content["data"] != nil else { return nil }
      guard content["v"]?.integer == 1, let data = content["data"]?.string, let keyID = content["kid"]?.string
      else { throw .failed }
      switch content["ce"]?.string {
      case "aes128gcm": return try ring.open(aes128gcm: BaseEncoding.base64URL.decode(data), keyID: keyID)
      case "jwe": return try ring.open(jwe: data, keyID: keyID)
      default: throw .failed
      }
    case .apple:
      guard let data = text("ENCRYPTED_DATA") else { return nil }
      return try ring.open(aes128gcm: BaseEncoding.base64URL.decode(data), keyID: nil)
    case .metatext:
      guard let account = text("i"), let message = text("m"), let key = text("k"), let salt = text("s")
      else { return nil }
      return try ring.open(LegacyWebPushMessage(m: message, k: key, s: salt), keyID: account)
    case .tootRelay:
      guard let message = text("p"), let key = text("k"), let salt = text("s") else { return nil }
      guard let account = text("x") else { throw .keyUnknown }
      return try ring.open(LegacyWebPushMessage(p: message, k: key, s: salt), keyID: account)
    }
  }

  typealias Member = (name: String, json: [UInt8])

  /// - Parameter shape: nil means the usual shape for the key's format.
  /// - Returns: the members of a payload, or nil if the shape takes a key of another format.
  static func seal(
    _ content: Span<UInt8>, for key: KeyRecord, keyID: String, as shape: ContentShape?
  ) throws(DecryptingError) -> [Member]? {
    let usual = if case .legacyWebPush = key { ContentShape.metatext } else { ContentShape.own }
    switch (key, shape ?? usual) {
    case (.records(let key), .own):
      let body = try RecordsSealer(key).seal(content)
      return own("aes128gcm", keyID, BaseEncoding.base64URL.encode(body.span))
    case (.records(let key), .apple):
      let body = try RecordsSealer(key).seal(content)
      return texts(("ENCRYPTED_DATA", BaseEncoding.base64URL.encode(body.span)))
    case (.webPush(let key), .own):
      let body = try WebPushSealer.seal(content, for: key)
      return own("aes128gcm", keyID, BaseEncoding.base64URL.encode(body.span))
    case (.jwe(let key), .own):
      return own("jwe", keyID, try JWESealer.seal(content, for: key, keyID: keyID))
    case (.legacyWebPush(let key), .metatext):
      let (m, k, s) = try LegacyWebPushSealer.seal(content, for: key).members
      return texts(("i", keyID), ("m", m), ("k", k), ("s", s))
    case (.legacyWebPush(let key), .tootRelay):
      let (p, k, s) = try LegacyWebPushSealer.seal(content, for: key).z85Members
      return texts(("p", p), ("k", k), ("s", s), ("x", keyID))
    default: return nil
    }
  }

  private static func own(_ coding: String, _ keyID: String, _ data: String) -> [Member] {
    var writer = JSONWriter()
    writer.object {
      $0.member("v", 1)
      $0.member("ce", coding)
      $0.member("kid", keyID)
      $0.member("data", data)
    }
    return [("enc", writer.bytes)]
  }

  private static func texts(_ members: (String, String)...) -> [Member] {
    members.map { name, text in
      var writer = JSONWriter()
      writer.write(text)
      return (name, writer.bytes)
    }
  }
}
