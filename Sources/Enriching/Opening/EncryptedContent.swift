internal import Decrypting
internal import Notifications

/// The ciphertext of a payload, and the name of its key.
enum EncryptedContent {
  /// In base64url. The key is nil where only the ciphertext itself names it.
  case aes128gcm(data: String, keyID: String?)
  /// In the compact serialization.
  case jwe(String, keyID: String)
  case legacyWebPush(LegacyWebPushMessage, keyID: String)

  /// - Throws: `DecryptingError.keyUnknown`, `.failed`.
  func open(with ring: KeyRing) throws(DecryptingError) -> [UInt8] {
    switch self {
    case .aes128gcm(let data, let keyID):
      return try ring.open(aes128gcm: Base64.url.decode(data), keyID: keyID)
    case .jwe(let text, let keyID):
      let message = try JWEMessage(compact: text)
      return try ring.open(message, header: JWEHeader(json: message.header), keyID: keyID)
    case .legacyWebPush(let message, let keyID):
      return try ring.open(message, keyID: keyID)
    }
  }
}

extension JWEHeader {
  /// - Throws: `DecryptingError.failed`, also if it is not a JSON object.
  init(json: [UInt8]) throws(DecryptingError) {
    guard let document = try? JSONDocument(json, maximumDepth: 8), document.root.kind == .object else {
      throw .failed
    }
    try self.init(Self.members(of: document.root))
  }

  private static func members(of object: JSONValue) -> [Member] {
    object.members.map { member in
      switch member.value.kind {
      case .string: Member(member.name, .text(member.value.string ?? ""))
      case .object: Member(member.name, .object(members(of: member.value)))
      case .array, .number, .boolean, .null: Member(member.name, .other)
      }
    }
  }
}
