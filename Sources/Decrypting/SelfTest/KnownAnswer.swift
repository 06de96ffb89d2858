internal import Supporting

/// A result from the document that defines a cipher. All values are in hexadecimal.
struct KnownAnswer {
  let cipher: Cipher
  let key: String
  let iv: String
  let plaintext: String
  var additionalData = ""
  /// In GCM with the tag, in CBC without the block of padding.
  let ciphertext: String

  static let all = [gcm128, gcm192, gcm256, ctr256, cbc128, cbc256]

  /// McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B, test case 4.
  private static let gcm128 = KnownAnswer(
    cipher: .aes128GCM, key: "feffe9928665731c6d6a8f9467308308", iv: "cafebabefacedbaddecaf888",
    plaintext: gcmPlaintext, additionalData: gcmAdditionalData,
    ciphertext: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
      + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47")

  /// The same, test case 8.
  private static let gcm192 = KnownAnswer(
    cipher: .aes192GCM, key: String(repeating: "0", count: 48), iv: String(repeating: "0", count: 24),
    plaintext: String(repeating: "0", count: 32),
    ciphertext: "98e7247c07f0fe411c267e4384b0f6002ff58d80033927ab8ef4d4587514f0fb")

  /// The same, test case 16.
  private static let gcm256 = KnownAnswer(
    cipher: .aes256GCM, key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
    iv: "cafebabefacedbaddecaf888", plaintext: gcmPlaintext, additionalData: gcmAdditionalData,
    ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
      + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b")

  /// NIST SP 800-38A, F.5.5, its first two blocks.
  private static let ctr256 = KnownAnswer(
    cipher: .aes256CTR, key: longKey, iv: "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", plaintext: blocks,
    ciphertext: "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5")

  /// NIST SP 800-38A, F.2.1, its first two blocks.
  private static let cbc128 = KnownAnswer(
    cipher: .aes128CBC, key: "2b7e151628aed2a6abf7158809cf4f3c", iv: "000102030405060708090a0b0c0d0e0f",
    plaintext: blocks, ciphertext: "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2")

  /// NIST SP 800-38A, F.2.5, its first two blocks.
  private static let cbc256 = KnownAnswer(
    cipher: .aes256CBC, key: longKey, iv: "000102030405060708090a0b0c0d0e0f", plaintext: blocks,
    ciphertext: "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d")

  private static let gcmPlaintext =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
  private static let gcmAdditionalData = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
  private static let longKey = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
  private static let blocks = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"

  /// Whether OpenSSL encrypts and decrypts accordingly, and refuses a modified tag.
  func holds() throws(DecryptingError) -> Bool {
    let hex = BaseEncoding.base16
    let key = try Secret(text: key.utf8.span, in: hex)
    let (iv, plaintext) = (try hex.decode(iv), try hex.decode(plaintext))
    let data = try hex.decode(additionalData)
    let made = try CipherContext.encrypt(plaintext.span, cipher, key: key, iv: iv, additionalData: data)
    guard try made.starts(with: hex.decode(ciphertext)) else { return false }
    let body = made.dropLast(cipher.hasTag ? Cipher.tagCount : 0)
    let open = { (tag: [UInt8]?) throws(DecryptingError) in
      try CipherContext.decrypt(body.span, cipher, key: key, iv: iv, additionalData: data, tag: tag)
    }
    guard cipher.hasTag else { return try open(nil) == plaintext }
    var tag = Array(made.suffix(Cipher.tagCount))
    guard try open(tag) == plaintext else { return false }
    tag[0] ^= 1
    return (try? open(tag)) == nil
  }
}
