@testable import Decrypting

/// Keys from literals: outside of tests a `String` is no place for one.
extension Secret {
  convenience init(base64URL text: String) throws(DecryptingError) {
    try self.init(base64URL: text.utf8.span)
  }
}

extension XMPPKey {
  init(fragment: String) throws(DecryptingError) { try self.init(fragment: fragment.utf8.span) }
}

extension SignalKey {
  init(key: String, digest: String, size: Int) throws(DecryptingError) {
    try self.init(key: key.utf8.span, digest: digest, size: size)
  }
}

extension MatrixKey {
  init(_ text: Text) throws(DecryptingError) {
    try self.init(
      version: text.version, keyType: text.keyType, algorithm: text.algorithm, key: text.key.utf8.span,
      iv: text.iv, sha256: text.sha256)
  }
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
