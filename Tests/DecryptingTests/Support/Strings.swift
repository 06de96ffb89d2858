@testable import Decrypting

/// Secrets from string literals. Outside of tests, a secret must never be in a `String`.
extension Secret {
  convenience init(base64URL text: String) throws(DecryptingError) {
    try self.init(text: text.utf8.span)
  }
}

extension StreamKey {
  init(fragment: String) throws(DecryptingError) { try self.init(xmppFragment: fragment.utf8.span) }

  init(signal key: String, digest: String, size: Int) throws(DecryptingError) {
    try self.init(signal: key.utf8.span, digest: digest, size: size)
  }

  init(_ text: MatrixText) throws(DecryptingError) {
    try self.init(
      matrixVersion: text.version, keyType: text.keyType, algorithm: text.algorithm, key: text.key.utf8.span,
      iv: text.iv, sha256: text.sha256)
  }
}

/// The members of a Matrix event's `file`.
struct MatrixText {
  var version = "v2"
  var keyType = "oct"
  var algorithm = "A256CTR"
  var key: String
  var iv: String
  var sha256: String
}

extension KeyRecord {
  init(records key: String, name: String) throws(DecryptingError) {
    try self.init(records: key.utf8.span, name: name)
  }

  init(webPush privateKey: String, authentication: String) throws(DecryptingError) {
    try self.init(webPush: privateKey.utf8.span, authentication: authentication.utf8.span)
  }

  init(legacyWebPush privateKey: String, authentication: String) throws(DecryptingError) {
    try self.init(legacyWebPush: privateKey.utf8.span, authentication: authentication.utf8.span)
  }

  init(jweShared key: String, _ encryption: JWEEncryption) throws(DecryptingError) {
    try self.init(jweShared: key.utf8.span, encryption)
  }

  init(jweAgreement privateKey: String, _ encryption: JWEEncryption) throws(DecryptingError) {
    try self.init(jweAgreement: privateKey.utf8.span, encryption)
  }
}
