internal import COpenSSL
internal import Queueing
internal import Supporting

/// The private key that Apple hands out as `AuthKey_<key id>.p8`: PKCS#8 in PEM (RFC 7468 section 10), on P-256.
@safe final class SigningKey: Sendable {
  /// Never changes. OpenSSL itself locks what it computes from the key (openssl-threads(7)).
  private nonisolated(unsafe) let key: OpaquePointer

  static func read(_ path: String) throws(QueueError) -> (key: SigningKey, stamp: FileStamp) {
    let file = try CredentialFile.read(path, "key") { (bytes) throws(CredentialFault) in
      try SigningKey(pem: bytes)
    }
    return (file.content, file.stamp)
  }

  init(pem: [UInt8]) throws(CredentialFault) {
    let found = unsafe pem.withUnsafeBytes { bytes -> OpaquePointer? in
      let text = unsafe OpenSSLText(bytes)
      guard let info = unsafe PEM_read_bio_PKCS8_PRIV_KEY_INFO(text.pointer, nil, nil, nil) else {
        return nil
      }
      defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
      return unsafe EVP_PKCS82PKEY(info)
    }
    guard let found = unsafe found else { throw Self.fault(of: pem) }
    unsafe key = found
    guard unsafe EVP_PKEY_get_base_id(found) == EVP_PKEY_EC else {
      throw CredentialFault("its key is for another algorithm, such as RSA", Self.right)
    }
    guard unsafe Self.curve(of: found) == "prime256v1" else {
      throw CredentialFault("its key is on a curve other than P-256", Self.right)
    }
  }

  deinit { unsafe EVP_PKEY_free(key) }

  func isSame(as other: SigningKey) -> Bool { unsafe EVP_PKEY_eq(key, other.key) == 1 }

  private static func curve(of key: OpaquePointer) -> String? {
    var name = [CChar](repeating: 0, count: 64)
    guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// ES256 (RFC 7518 section 3.4): r and s, 32 bytes each. Nil if OpenSSL has no memory.
  func signature(of bytes: [UInt8]) -> [UInt8]? {
    defer { ERR_clear_error() }
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    // The longest encoding for P-256: a sequence of two integers of 33 bytes.
    var (encoded, count) = ([UInt8](repeating: 0, count: 72), 72)
    guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
      unsafe EVP_DigestSign(context, &encoded, &count, bytes, bytes.count) == 1
    else { return nil }
    return Self.plain(Array(encoded.prefix(count)))
  }

  /// The two numbers of an `ECDSA-Sig-Value` (RFC 3279 section 2.2.3), padded with zeros to 32 bytes each. In
  /// 1 of 128 signatures, one of them is shorter.
  static func plain(_ signature: [UInt8]) -> [UInt8]? {
    unsafe signature.withUnsafeBufferPointer { (bytes) -> [UInt8]? in
      var next = bytes.baseAddress
      guard let numbers = unsafe d2i_ECDSA_SIG(nil, &next, bytes.count) else { return nil }
      defer { unsafe ECDSA_SIG_free(numbers) }
      var plain = [UInt8](repeating: 0, count: 64)
      let isPlain = unsafe plain.withUnsafeMutableBufferPointer {
        unsafe BN_bn2binpad(ECDSA_SIG_get0_r(numbers), $0.baseAddress, 32) == 32
          && BN_bn2binpad(ECDSA_SIG_get0_s(numbers), $0.baseAddress?.advanced(by: 32), 32) == 32
      }
      return isPlain ? plain : nil
    }
  }

  private static let right = "use the AuthKey_….p8 of APNs from the developer account"

  /// Explains why a text is not such a key, by the kinds of PEM that people mistake for it.
  private static func fault(of pem: [UInt8]) -> CredentialFault {
    let text = String(decoding: pem, as: UTF8.self)
    func has(_ label: String) -> Bool { text.contains("-----BEGIN \(label)-----") }
    if has("ENCRYPTED PRIVATE KEY") {
      return CredentialFault("its key has a password", "remove it with openssl pkcs8 -in FILE -out NEW")
    }
    if has("EC PRIVATE KEY") {
      return CredentialFault(
        "its key is not in PKCS#8", "convert it with openssl pkcs8 -topk8 -nocrypt -in FILE -out NEW")
    }
    if has("RSA PRIVATE KEY") { return CredentialFault("its key is for RSA", right) }
    if has("PUBLIC KEY") { return CredentialFault("it has a public key, which cannot sign", right) }
    if has("CERTIFICATE") {
      return CredentialFault("it has a certificate", "name it with certificate= instead of key=")
    }
    if has("PRIVATE KEY") {
      return CredentialFault("its key is damaged or incomplete", "download it again, or copy it whole")
    }
    return CredentialFault("it has no -----BEGIN PRIVATE KEY-----", right)
  }
}
