internal import COpenSSL
internal import Glibc

/// A new signing key for provider tokens, like those that Apple's developer site makes. A mock knows it.
@safe package final class APNsKey: Sendable {
  package let id, team: String
  /// `nonisolated(unsafe)`, because it does not change after `init`: signing and verifying only read it.
  nonisolated(unsafe) private let pointer: OpaquePointer

  package init(id: String = "MOCKKEY001", team: String = "MOCKTEAM01") throws(MisbehavingError) {
    guard let pointer = unsafe openssl_p256_key() else { throw .noCertificate }
    unsafe self.pointer = pointer
    self.id = id
    self.team = team
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// Writes the key to a new file as Apple does: PKCS#8 in PEM form, in a `.p8` file that only its owner may read.
  package func write(to path: String) throws(MisbehavingError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0, let file = unsafe fdopen(descriptor, "w") else {
      throw .unwritable(path: path, code: errno)
    }
    let isWritten = unsafe PEM_write_PKCS8PrivateKey(file, pointer, nil, nil, 0, nil, nil) == 1
    guard unsafe fclose(file) == 0, isWritten else { throw .unwritable(path: path, code: errno) }
  }

  /// Whether `signature` is the key's signature of `text`: r and s, 32 bytes each (RFC 7518 section 3.4).
  func verifies(_ signature: [UInt8], of text: [UInt8]) -> Bool {
    guard signature.count == 64, let pair = unsafe ECDSA_SIG_new() else { return false }
    defer { unsafe ECDSA_SIG_free(pair) }
    guard let r = unsafe BN_bin2bn(Array(signature[..<32]), 32, nil),
      let s = unsafe BN_bin2bn(Array(signature[32...]), 32, nil), unsafe ECDSA_SIG_set0(pair, r, s) == 1
    else { return false }
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = unsafe i2d_ECDSA_SIG(pair, &encoded)
    guard count > 0, let context = unsafe EVP_MD_CTX_new() else { return false }
    defer {
      unsafe EVP_MD_CTX_free(context)
      unsafe CRYPTO_free(encoded, nil, 0)
    }
    guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1 else { return false }
    return unsafe EVP_DigestVerify(context, encoded, Int(count), text, text.count) == 1
  }
}
