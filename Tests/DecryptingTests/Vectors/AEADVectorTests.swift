import Testing

@testable import Decrypting

/// Wycheproof's AES-GCM and A128CBC-HS256, tested through content and media.
@Suite struct AEADVectorTests {
  static let gcm = Vectors.wycheproof("aes_gcm_test.json", as: PlainGroup<AEADTest>.self)
  static let cbc = Vectors.wycheproof("a128cbc_hs256_test.json", as: PlainGroup<AEADTest>.self)

  /// As the content of a JWE. Lengths of keys and IVs that JWE does not have are refused.
  @Test(arguments: gcm)
  func contentGCM(_ vector: WycheproofCase<PlainGroup<AEADTest>>) throws {
    let test = vector.test
    for encryption in [JWEEncryption.a128GCM, .a256GCM] {
      let fits = try Secret(hex: test.key).count == encryption.keyCount && test.iv.utf8.count == 24
      try expect(open(test, encryption), test, isOpened: fits && vector.isValid)
    }
  }

  @Test(arguments: cbc)
  func contentCBC(_ vector: WycheproofCase<PlainGroup<AEADTest>>) throws {
    try expect(open(vector.test, .a128CBCHS256), vector.test, isOpened: vector.isValid)
  }

  /// As a file behind an `aesgcm://` URL, in pieces of any size.
  @Test(arguments: gcm.filter { $0.test.aad.isEmpty })
  func mediaGCM(_ vector: WycheproofCase<PlainGroup<AEADTest>>) throws {
    let test = vector.test
    let fits = test.key.utf8.count == 64 && [24, 32].contains(test.iv.utf8.count)
    // Only the total length is known: a shorter key with a longer IV is read as a different key.
    let key = try? StreamKey(fragment: test.iv + test.key)
    #expect((key != nil) == [88, 96].contains(test.iv.utf8.count + test.key.utf8.count))
    let file = try [UInt8](hex: test.ct + test.tag)
    for pieces in [[1], [15], [16], [17], [4_096]] {
      let opened = key.flatMap { try? FileKey.stream($0).open(file, pieces: pieces) }
      try expect(opened, test, isOpened: fits && vector.isValid)
    }
  }

  /// A truncated tag is refused, although OpenSSL would accept it.
  @Test(arguments: gcm.filter { $0.isValid && $0.test.iv.utf8.count == 24 && $0.test.key.utf8.count == 32 })
  func shortTags(_ vector: WycheproofCase<PlainGroup<AEADTest>>) throws {
    let test = vector.test
    for count in 0..<16 {
      #expect(throws: DecryptingError.failed) {
        try JWEEncryption.a128GCM.open(
          [UInt8](hex: test.ct), tag: Array([UInt8](hex: test.tag).prefix(count)), key: Secret(hex: test.key),
          iv: [UInt8](hex: test.iv), additionalData: [UInt8](hex: test.aad))
      }
    }
  }

  private func open(_ test: AEADTest, _ encryption: JWEEncryption) throws -> [UInt8]? {
    try? encryption.open(
      [UInt8](hex: test.ct), tag: [UInt8](hex: test.tag), key: Secret(hex: test.key),
      iv: [UInt8](hex: test.iv),
      additionalData: [UInt8](hex: test.aad))
  }

  private func expect(_ opened: [UInt8]?, _ test: AEADTest, isOpened: Bool) throws {
    #expect(try opened == (isOpened ? [UInt8](hex: test.msg) : nil))
  }
}
