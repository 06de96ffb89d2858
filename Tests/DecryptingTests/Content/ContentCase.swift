@testable import Decrypting

/// A way to encrypt content, for tests of the decryptors.
enum ContentCase: String, CaseIterable, Sendable {
  case records, recordsOfMany, webPush, webPushOfMany, legacyWebPush
  case jweShared128, jweShared256, jweSharedCBC, jweAgreed128, jweAgreed256, jweAgreedCBC

  /// Encrypted content as it is in a payload.
  enum Message: Equatable {
    case body([UInt8])
    case legacy(LegacyWebPushMessage)
    case jwe(String)
  }

  static let keyID = "dev-7f3a"

  var record: KeyRecord {
    get throws {
      switch self {
      case .records, .recordsOfMany:
        return .records(try RecordsKey(Self.secret(16), keyID: Array(Self.keyID.utf8)))
      case .webPush, .webPushOfMany: return .webPush(try Self.webPushKey)
      case .legacyWebPush: return .legacyWebPush(try Self.webPushKey)
      default: return .jwe(try jweKey)
      }
    }
  }

  func seal(_ plaintext: [UInt8]) throws -> Message {
    switch (self, try record) {
    case (_, .records(let key)):
      let size = self == .records ? 4_096 : 30
      return .body(try RecordsSealer(key, recordSize: size, salt: Self.salt).seal(plaintext.span, padding: 3))
    case (_, .webPush(let key)):
      let size = self == .webPush ? 4_096 : 40
      return .body(
        try WebPushSealer.seal(
          plaintext.span, for: key, sender: Self.otherKey, salt: Self.salt, recordSize: size,
          padding: 5))
    case (_, .legacyWebPush(let key)):
      return .legacy(
        try LegacyWebPushSealer.seal(
          plaintext.span, for: key, sender: Self.otherKey, salt: Self.salt, padding: 4))
    case (_, .jwe(let key)):
      return .jwe(
        try JWESealer.seal(
          plaintext.span, for: key, keyID: Self.keyID, ephemeral: Self.otherKey,
          iv: .pseudorandom(key.encryption.ivCount)))
    // No case of this suite has a Bark key. `ContentOfOthersTests` tests these.
    case (_, .bark(let key)): return .body(try key.seal(plaintext.span).body)
    }
  }

  /// Bytes that are not authenticated: the record size of a body with a single record.
  var unauthenticated: Range<Int> { self == .records || self == .webPush ? 16..<20 : 0..<0 }

  private var jweKey: JWEKey {
    get throws {
      let encryption: JWEEncryption =
        switch self {
        case .jweShared128, .jweAgreed128: .a128GCM
        case .jweShared256, .jweAgreed256: .a256GCM
        default: .a128CBCHS256
        }
      return switch self {
      case .jweAgreed128, .jweAgreed256, .jweAgreedCBC: JWEKey(agreement: try Self.ownKey, encryption)
      default: try JWEKey(shared: Self.secret(encryption.keyCount), encryption)
      }
    }
  }

  private static let salt = [UInt8].pseudorandom(16, seed: 3)
  private static var ownKey: P256PrivateKey { get throws { try .init(scalar: secret(32)) } }
  private static var otherKey: P256PrivateKey {
    get throws { try .init(scalar: Secret(bytes: .pseudorandom(32, seed: 8))) }
  }
  private static var webPushKey: WebPushKey {
    get throws { try WebPushKey(ownKey, authentication: secret(16)) }
  }
  private static func secret(_ count: Int) throws -> Secret {
    try Secret(bytes: .pseudorandom(count, seed: 7))
  }
}

extension KeyRing {
  func open(_ message: ContentCase.Message, keyID: String = ContentCase.keyID) throws -> [UInt8] {
    switch message {
    case .body(let body): try open(aes128gcm: body, keyID: keyID)
    case .legacy(let message): try open(message, keyID: keyID)
    case .jwe(let text): try open(jwe: text, keyID: keyID)
    }
  }
}

extension ContentCase.Message {
  /// The bytes that an attacker can change. For a JWE, these are its characters.
  var octets: [UInt8] {
    switch self {
    case .body(let body): body
    case .legacy(let message): message.salt + message.sender + message.body
    case .jwe(let text): Array(text.utf8)
    }
  }

  func replacing(_ octets: [UInt8]) throws -> Self {
    switch self {
    case .body: .body(octets)
    case .legacy:
      .legacy(
        try LegacyWebPushMessage(
          body: Array(octets.dropFirst(81)), salt: Array(octets.prefix(16)),
          sender: Array(octets.dropFirst(16).prefix(65))))
    case .jwe: .jwe(String(decoding: octets, as: UTF8.self))
    }
  }
}
