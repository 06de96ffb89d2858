internal import Decrypting
internal import Notifications

extension KeyRecord {
  /// Reads the record of one key. The key itself never becomes a `String`.
  static func read(_ value: JSONValue, name: String) throws(DecryptingError) -> KeyRecord {
    switch value["format"]?.string {
    case "aes128gcm":
      return try value.secret("key") { (key) throws(DecryptingError) in
        try KeyRecord(records: key, name: name)
      }
    case "webpush":
      let hasEntities = try value.flag("html-entities")
      return try value.webPush { (key, secret) throws(DecryptingError) in
        try KeyRecord(webPush: key, authentication: secret, hasEntities: hasEntities)
      }
    case "aesgcm":
      let hasEntities = try value.flag("html-entities")
      return try value.webPush { (key, secret) throws(DecryptingError) in
        try KeyRecord(legacyWebPush: key, authentication: secret, hasEntities: hasEntities)
      }
    case "bark":
      let mode = value.given("mode")
      guard mode == nil || mode?.string == "GCM" else {
        throw .keyInvalid(expected: "'mode', GCM: with CBC and ECB, anybody can change the content")
      }
      let iv = value.given("iv")
      guard iv == nil || iv?.kind == .string else { throw .keyInvalid(expected: "'iv', a string") }
      return try value.secret("key") { (key) throws(DecryptingError) in
        try KeyRecord(bark: key, iv: Array(iv?.utf8 ?? []))
      }
    case "jwe":
      guard let encryption = value["enc"]?.string.flatMap(JWEEncryption.init) else {
        let names = JWEEncryption.allCases.map(\.rawValue).joined(separator: ", ")
        throw .keyInvalid(expected: "'enc', one of \(names)")
      }
      switch value["alg"]?.string {
      case "dir":
        return try value.secret("key") { (key) throws(DecryptingError) in
          try KeyRecord(jweShared: key, encryption)
        }
      case "ECDH-ES":
        return try value.secret("private-key") { (key) throws(DecryptingError) in
          try KeyRecord(jweAgreement: key, encryption)
        }
      default: throw .keyInvalid(expected: "'alg', dir or ECDH-ES")
      }
    default: throw .keyInvalid(expected: "'format', one of aes128gcm, webpush, aesgcm, jwe, bark")
    }
  }
}

extension JSONValue {
  fileprivate func secret<Result>(
    _ name: String, _ body: (Span<UInt8>) throws(DecryptingError) -> Result
  ) throws(DecryptingError) -> Result {
    guard let text = self[name]?.spelledText else { throw .keyInvalid(expected: "'\(name)', a string") }
    return try text.decodingEscapes(body)
  }

  fileprivate func webPush(
    _ body: (Span<UInt8>, Span<UInt8>) throws(DecryptingError) -> KeyRecord
  ) throws(DecryptingError) -> KeyRecord {
    try secret("private-key") { (key) throws(DecryptingError) in
      try secret("auth") { (secret) throws(DecryptingError) in try body(key, secret) }
    }
  }

  fileprivate func flag(_ name: String) throws(DecryptingError) -> Bool {
    guard let value = given(name) else { return false }
    guard let flag = value.bool else { throw .keyInvalid(expected: "'\(name)', true or false") }
    return flag
  }
}
