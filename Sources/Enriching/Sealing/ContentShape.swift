internal import Decrypting
internal import Notifications
internal import Supporting

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
  /// From Bark (Finb/Bark @abbd3ba, CiphertextProcessor.swift). Counts only if there is a key of this format,
  /// because other senders use the same member names.
  case bark

  /// The members of the payload that hold the ciphertext.
  var members: [String] {
    switch self {
    case .own: ["enc"]
    case .apple: ["ENCRYPTED_DATA"]
    case .metatext: ["i", "m", "k", "s"]
    case .tootRelay: ["p", "k", "s", "x"]
    case .bark: ["ciphertext", "iv"]
    }
  }

  /// The formats of keys that `seal` takes for it.
  var keyFormats: String {
    switch self {
    case .own: "aes128gcm, webpush or jwe"
    case .apple: "aes128gcm"
    case .metatext, .tootRelay: "webpush or aesgcm"
    case .bark: "bark"
    }
  }

  /// The member of the plaintext that holds the URL of a picture, for senders that have no `media`.
  var picture: String? {
    switch self {
    case .own, .apple: nil
    case .metatext, .tootRelay: "icon"
    case .bark: "image"
    }
  }

  struct Opened {
    var plaintext: [UInt8]
    var style = PlainContent.Style()
  }

  /// - Returns: nil if `object` does not have this shape.
  /// - Throws: `DecryptingError`, also for malformed members.
  func open(_ object: JSONValue, with ring: KeyRing) throws(DecryptingError) -> Opened? {
    func text(_ name: String) -> String? { object[name]?.string }
    switch self {
    case .own:
      guard let content = object["enc"], content["ce"] != nil || content["v"] != nil && content["kid"] != nil
      else { return nil }
      guard content["v"]?.integer == 1, let data = content["data"]?.string, let keyID = content["kid"]?.string
      else { throw .failed }
      switch content["ce"]?.string {
      case "aes128gcm":
        let plaintext = try ring.open(aes128gcm: BaseEncoding.anyBase64.decode(data), keyID: keyID)
        return opened(plaintext, with: keyID, of: ring)
      case "jwe": return Opened(plaintext: try ring.open(jwe: data, keyID: keyID))
      default: throw .failed
      }
    case .apple:
      guard let data = text("ENCRYPTED_DATA") else { return nil }
      // Other apps use this name for their own formats. Without keys, nobody expects it to be opened.
      if ring.isEmpty { throw .keyUnknown }
      return Opened(plaintext: try ring.open(aes128gcm: BaseEncoding.anyBase64.decode(data), keyID: nil))
    case .metatext:
      guard let account = text("i"), let message = text("m") else { return nil }
      return try open(message, object, in: .base64, for: account, with: ring)
    case .tootRelay:
      guard let message = text("p") else { return nil }
      return try open(message, object, in: .z85, for: text("x"), with: ring)
    case .bark:
      guard let data = text("ciphertext"), let (_, key) = try ring.barkKey() else { return nil }
      let plaintext = try key.open(BaseEncoding.anyBase64.decode(data), iv: text("iv"))
      var opened = Opened(plaintext: plaintext)
      opened.style.ignoresCase = true
      opened.style.names = ["thread-id": "group"]
      return opened
    }
  }

  private func open(
    _ text: String, _ object: JSONValue, in encoding: RelayedMessage.Encoding, for account: String?,
    with ring: KeyRing
  ) throws(DecryptingError) -> Opened? {
    let (sender, salt) = (object["k"]?.string, object["s"]?.string)
    guard let message = try RelayedMessage(text, sender: ("k", sender), salt: ("s", salt), in: encoding)
    else { return nil }
    guard let account else { throw .keyUnknown }
    let plaintext =
      switch message {
      case .current(let body): try ring.open(relayed: body, keyID: account)
      case .legacy(let message): try ring.open(message, keyID: account)
      }
    return opened(plaintext, with: account, of: ring)
  }

  private func opened(_ plaintext: [UInt8], with keyID: String, of ring: KeyRing) -> Opened {
    var opened = Opened(plaintext: plaintext)
    opened.style.hasEntities = (try? ring.record(keyID))?.hasEntities ?? false
    return opened
  }

  typealias Member = (name: String, json: [UInt8])

  /// - Parameter shape: nil means the usual shape for the key's format.
  /// - Returns: the members of a payload, or nil if the shape takes a key of another format.
  static func seal(
    _ content: Span<UInt8>, for key: KeyRecord, keyID: String, as shape: ContentShape?
  ) throws(DecryptingError) -> [Member]? {
    let usual: ContentShape =
      switch key {
      case .legacyWebPush: .metatext
      case .bark: .bark
      case .records, .webPush, .jwe: .own
      }
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
    case (.webPush(let key), .metatext):
      let body = try WebPushSealer.seal(content, for: key)
      return texts(("i", keyID), ("m", BaseEncoding.base64URL.encode(body.span)))
    case (.webPush(let key), .tootRelay):
      let body = try WebPushSealer.seal(content, for: key)
      return texts(("p", Z85.encode(body.span)), ("x", keyID))
    case (.bark(let key), .bark):
      let (body, iv) = try key.seal(content)
      return texts(("ciphertext", BaseEncoding.base64.encode(body.span)), ("iv", iv))
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
