internal import Decrypting
internal import Notifications

/// A format in which senders put ciphertext into a payload: one row of the table below.
struct EncryptedShape: Sendable {
  let name: String
  /// The members of the top object that hold it. They are removed when it is opened.
  let members: Set<String>
  /// The member of the plaintext that holds the URL of a picture, for senders that have no `media`.
  var picture: String?
  /// Reads the members; nil if the payload does not have this shape.
  /// - Throws: `DecryptingError.failed` if it does, but the members are malformed.
  let read: @Sendable (_ root: JSONValue) throws(DecryptingError) -> EncryptedContent?

  /// The first that applies counts. No other is tried if it cannot be opened.
  static let all = [own, apple, metatext, tootRelay]

  /// This project's own: `"enc":{"v":1,"ce":"aes128gcm|jwe","kid":"…","data":"…"}`.
  private static let own = EncryptedShape(name: "push-enricher", members: ["enc"]) {
    (root) throws(DecryptingError) in
    guard let object = root["enc"], object["ce"] != nil || object["data"] != nil else { return nil }
    guard object["v"]?.integer == 1, let data = object["data"]?.string, let keyID = object["kid"]?.string
    else { throw .failed }
    switch object["ce"]?.string {
    case "aes128gcm": return .aes128gcm(data: data, keyID: keyID)
    case "jwe": return .jwe(data, keyID: keyID)
    default: throw .failed
    }
  }

  /// The name in Apple's "Modifying content in newly delivered notifications". The value is that of `data` in
  /// `enc`; the ciphertext names its key.
  private static let apple = EncryptedShape(name: "Apple", members: ["ENCRYPTED_DATA"]) { root in
    root["ENCRYPTED_DATA"]?.string.map { .aes128gcm(data: $0, keyID: nil) }
  }

  /// What metatext-apns sends, and IceCubes after it: account, message, sender's key, salt, in base64url.
  private static let metatext = EncryptedShape(
    name: "Metatext", members: ["i", "m", "k", "s"], picture: "icon"
  ) { (root) throws(DecryptingError) in
    guard let account = root["i"]?.string, let message = root["m"]?.string, let key = root["k"]?.string,
      let salt = root["s"]?.string
    else { return nil }
    return .legacyWebPush(try LegacyWebPushMessage(m: message, k: key, s: salt), keyID: account)
  }

  /// What toot-relay sends: message, sender's key, salt in Z85, and the account, which is the rest of its
  /// request's path.
  private static let tootRelay = EncryptedShape(
    name: "toot-relay", members: ["p", "k", "s", "x"], picture: "icon"
  ) { (root) throws(DecryptingError) in
    guard let message = root["p"]?.string, let key = root["k"]?.string, let salt = root["s"]?.string
    else { return nil }
    guard let account = root["x"]?.string else { throw .keyUnknown }
    return .legacyWebPush(try LegacyWebPushMessage(p: message, k: key, s: salt), keyID: account)
  }
}
