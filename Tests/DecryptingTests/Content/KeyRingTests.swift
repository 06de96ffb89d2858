import Testing

@testable import Decrypting

/// The names of keys, and their records as in a key file.
@Suite struct KeyRingTests {
  private let text = "yqdlZ-tYemfogSmv7Ws5PQ"
  private let scalar = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"

  /// Apple's `ENCRYPTED_DATA` names its key only in the body itself.
  @Test func theBodyNamesItsKey() throws {
    let ring = KeyRing(["k1": try KeyRecord(records: text, name: "k1")])
    let key = try RecordsKey(Secret(base64URL: text), keyID: Array("k1".utf8))
    let body = try RecordsSealer(key).seal("hello".utf8.span)
    #expect(try ring.open(aes128gcm: body, keyID: nil) == Array("hello".utf8))
    #expect(throws: DecryptingError.keyUnknown) { try KeyRing().open(aes128gcm: body, keyID: nil) }
    let nameless = try RecordsSealer(key, keyID: []).seal("hello".utf8.span)
    #expect(throws: DecryptingError.keyUnknown) { try ring.open(aes128gcm: nameless, keyID: nil) }
    #expect(try ring.open(aes128gcm: nameless, keyID: "k1") == Array("hello".utf8))
    let strange = try RecordsSealer(key, keyID: [0xff, 0xfe]).seal("hello".utf8.span)
    #expect(throws: DecryptingError.keyUnknown) { try ring.open(aes128gcm: strange, keyID: nil) }
    #expect(throws: DecryptingError.failed) { try ring.open(aes128gcm: strange, keyID: "k1") }
    #expect(throws: DecryptingError.failed) { try ring.open(aes128gcm: [1, 2, 3], keyID: nil) }
  }

  @Test func mediaByName() throws {
    let ring = KeyRing([
      "m1": try KeyRecord(records: text, name: "m1"),
      "w": try KeyRecord(webPush: scalar, authentication: text),
    ])
    let key = try RecordsKey(Secret(base64URL: text), keyID: Array("m1".utf8))
    let file = try RecordsSealer(key).seal("picture".utf8.span)
    #expect(try ring.fileKey("m1").open(file) == Array("picture".utf8))
    #expect(throws: DecryptingError.failed) { try ring.fileKey("w") }
    #expect(throws: DecryptingError.keyUnknown) { try ring.fileKey("m2") }
  }

  @Test func goodRecords() throws {
    _ = try KeyRecord(legacyWebPush: scalar, authentication: text)
    _ = try KeyRecord(jweShared: text, .a128GCM)
    _ = try KeyRecord(jweShared: scalar, .a256GCM)
    _ = try KeyRecord(jweShared: scalar, .a128CBCHS256)
    _ = try KeyRecord(jweAgreement: scalar, .a256GCM)
  }

  /// The error says what is wrong, without a single character of the key.
  @Test(
    arguments: [
      { try KeyRecord(records: "yqdlZ-tYemfogSmv7Ws5", name: "k") },
      { try KeyRecord(records: "yqdlZ-tYemfogSmv7Ws5PQ", name: String(repeating: "k", count: 256)) },
      { try KeyRecord(webPush: "yqdlZ-tYemfogSmv7Ws5PQ", authentication: "yqdlZ-tYemfogSmv7Ws5PQ") },
      { try KeyRecord(webPush: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", authentication: "yqdlZ-tYem") },
      { try KeyRecord(legacyWebPush: "", authentication: "yqdlZ-tYemfogSmv7Ws5PQ") },
      { try KeyRecord(jweShared: "yqdlZ-tYemfogSmv7Ws5PQ", .a256GCM) },
      { try KeyRecord(jweShared: "yqdlZ-tYemfogSmv7Ws5PQ", .a128CBCHS256) },
      { try KeyRecord(jweShared: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", .a128GCM) },
      // Zero, and the order of the curve.
      { try KeyRecord(jweAgreement: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", .a128GCM) },
      { try KeyRecord(jweAgreement: "_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE", .a128GCM) },
    ] as [@Sendable () throws -> KeyRecord])
  func badRecords(_ make: @Sendable () throws -> KeyRecord) throws {
    let error = #expect(throws: DecryptingError.self) { try make() }
    guard case .keyInvalid(let expected)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(expected.contains("bytes") && expected.contains("base64"))
    #expect(!expected.contains("yqdl") && !expected.contains("q1dX"))
  }

  /// The largest valid number is one less than the order of the curve.
  @Test func largestScalar() throws {
    let key = try P256PrivateKey(scalar: Secret(base64URL: "_____wAAAAD__________7zm-q2nF56E87nKwvxjJVA"))
    // The base point with its y coordinate negated.
    let x = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    let y = "b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a"
    #expect(try key.point == [UInt8](hex: "04" + x + y))
  }
}
