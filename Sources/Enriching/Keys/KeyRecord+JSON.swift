internal import Decrypting
internal import Notifications

extension KeyRecord {
  /// Reads the record of one key. The key itself never becomes a `String`.
  static func read(_ value: JSONValue, name: String) throws(DecryptingError) -> KeyRecord {
    func text(_ name: String) throws(DecryptingError) -> ArraySlice<UInt8> {
      guard let text = value[name]?.spelledText else { throw .keyInvalid(expected: "'\(name)', a string") }
      return text
    }
    switch value["format"]?.string {
    case "aes128gcm":
      let key = try text("key")
      return try KeyRecord(records: key.span, name: name)
    case "webpush":
      let (key, secret) = (try text("private-key"), try text("auth"))
      return try KeyRecord(webPush: key.span, authentication: secret.span)
    case "aesgcm":
      let (key, secret) = (try text("private-key"), try text("auth"))
      return try KeyRecord(legacyWebPush: key.span, authentication: secret.span)
    case "jwe":
      guard let encryption = value["enc"]?.string.flatMap(JWEEncryption.init) else {
        let names = JWEEncryption.allCases.map(\.rawValue).joined(separator: ", ")
        throw .keyInvalid(expected: "'enc', one of \(names)")
      }
      switch value["alg"]?.string {
      case "dir":
        let key = try text("key")
        return try KeyRecord(jweShared: key.span, encryption)
      case "ECDH-ES":
        let key = try text("private-key")
        return try KeyRecord(jweAgreement: key.span, encryption)
      default: throw .keyInvalid(expected: "'alg', dir or ECDH-ES")
      }
    default: throw .keyInvalid(expected: "'format', one of aes128gcm, webpush, aesgcm, jwe")
    }
  }
}
