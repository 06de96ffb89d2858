import Supporting
import Testing

@testable import Decrypting

/// What only JWE has: a header that names the algorithms, and that must not be trusted.
@Suite struct JWETests {
  private static let good: [JWEHeader.Member] = [
    .init("alg", .text("dir")), .init("enc", .text("A128GCM")), .init("kid", .text("k")),
    .init("typ", .text("x")),
    .init("p2c", .other),
  ]

  private static let point: [JWEHeader.Member] = [
    .init("kty", .text("EC")), .init("crv", .text("P-256")),
    .init("x", .text("mPUKT_bAWGHIhg0TpjjqVsP1rXWQu_vwVOHHtNkdYoA")),
    .init("y", .text("8BQAsImGeAS46fyWw5MhYfGTT0IjBpFw2SS34Dv4Irs")),
  ]

  private func header(_ name: String, _ value: JWEHeader.Value?, in members: [JWEHeader.Member] = good)
    -> JWEHeader?
  {
    let others = members.filter { $0.name != name }
    return try? JWEHeader(others + (value.map { [.init(name, $0)] } ?? []))
  }

  @Test func membersThatAreLookedAt() {
    #expect(header("kid", nil) != nil)
    #expect(header("kid", .text("k")) != nil)
    #expect(header("kid", .other) == nil)
    #expect(header("alg", nil) == nil)
    #expect(header("enc", nil) == nil)
    #expect(header("enc", .other) == nil)
    for name in ["zip", "crit"] {
      #expect(header(name, .text("DEF")) == nil)
      #expect(header(name, .other) == nil)
    }
    #expect(header("apu", .text("QWxpY2U")) != nil)
    #expect(header("apu", .text("QWxpY2V=")) == nil)
    #expect(header("apv", .other) == nil)
  }

  @Test(arguments: [
    "RSA1_5", "RSA-OAEP", "A128KW", "A256KW", "ECDH-ES+A128KW", "PBES2-HS256+A128KW", "A128GCMKW", "none",
    "DIR", "",
  ])
  func otherAlgorithms(_ name: String) { #expect(header("alg", .text(name)) == nil) }

  @Test(arguments: ["A192GCM", "A128CBC", "A256CBC-HS512", "A192CBC-HS384", "XC20P", "a128gcm", ""])
  func otherEncryptions(_ name: String) { #expect(header("enc", .text(name)) == nil) }

  @Test func namesThatComeTwice() {
    for member in Self.good {
      #expect(throws: DecryptingError.failed) { try JWEHeader(Self.good + [member]) }
    }
    let agreed = Self.good.filter { $0.name != "alg" } + [.init("alg", .text("ECDH-ES"))]
    #expect(header("epk", .object(Self.point), in: agreed) != nil)
    #expect(header("epk", .object(Self.point + [.init("x", .text("AA"))]), in: agreed) == nil)
  }

  @Test func ephemeralKeys() {
    let agreed = Self.good.filter { $0.name != "alg" } + [.init("alg", .text("ECDH-ES"))]
    #expect(header("epk", nil, in: agreed) == nil)
    #expect(header("epk", .text("AA"), in: agreed) == nil)
    for (name, value) in [
      ("kty", "OKP"), ("crv", "P-384"), ("crv", "X25519"), ("x", ""), ("y", ""),
      ("x", "mPUKT_bAWGHIhg0TpjjqVsP1rXWQu_vwVOHHtNkd"),
      ("y", "APAUALCJhngEuOn8lsOTIWHxk09CIwaRcNkkt-A7-CK7"),
    ] {
      let point = Self.point.filter { $0.name != name } + [.init(name, .text(value))]
      #expect(header("epk", .object(point), in: agreed) == nil, "\(name) \(value)")
    }
  }

  @Test(arguments: [
    "", ".", "....", "a.b.c.d", "eyJ9..AA.AA", "e30..AA.AA.AA.AA", "e30.AA.AA.AA.AA", "e30..A.AA.AA",
    "e30..AB.AA.AA",
    "e30..AA==.AA.AA", "e30..AA.A+.AA", "e30 ..AA.AA.AA", "e30..AA.AA\n.AA", #"{"protected":"e30"}"#,
  ])
  func malformed(_ text: String) {
    let message = try? JWEMessage(compact: text)
    // Four dots separate five empty parts. That is a message by its form, but it has no header.
    #expect((message != nil) == (text == "...."))
    if let message { #expect(throws: (any Error).self) { try JWEHeader(json: message.header) } }
  }

  /// Tags that are too short or too long.
  @Test(arguments: JWEEncryption.allCases)
  func tagsOfEveryLength(_ encryption: JWEEncryption) throws {
    let key = try Secret(bytes: .pseudorandom(encryption.keyCount))
    let iv = [UInt8].pseudorandom(encryption.ivCount)
    let sealed = try encryption.seal("text".utf8.span, key: key, iv: iv, additionalData: [1, 2, 3])
    for count in 0...40 {
      let tag = Array((sealed.tag + filled(0, 24)).prefix(count))
      let opened = try? encryption.open(
        sealed.ciphertext, tag: tag, key: key, iv: iv, additionalData: [1, 2, 3])
      #expect(opened == (count == 16 ? Array("text".utf8) : nil))
    }
  }

  @Test(arguments: JWEEncryption.allCases, [0, 1, 8, 11, 12, 13, 15, 16, 17])
  func vectorsOfEveryLength(_ encryption: JWEEncryption, _ count: Int) throws {
    let key = try Secret(bytes: .pseudorandom(encryption.keyCount))
    let sealed = try? encryption.seal("text".utf8.span, key: key, iv: filled(1, count), additionalData: [])
    #expect((sealed != nil) == (count == encryption.ivCount))
  }

  /// A key for one `enc` does not open another one, even if the key length is the same.
  @Test func theKeyIsForOneEncryption() throws {
    let key = try Secret(bytes: .pseudorandom(32))
    let text = try JWESealer.seal("text".utf8.span, for: JWEKey(shared: key, .a256GCM), keyID: "k")
    let right = KeyRing(["k": .jwe(try JWEKey(shared: key, .a256GCM))])
    #expect(try right.open(jwe: text, keyID: "k") == Array("text".utf8))
    let wrong = KeyRing(["k": .jwe(try JWEKey(shared: key, .a128CBCHS256))])
    #expect(throws: DecryptingError.failed) { try wrong.open(jwe: text, keyID: "k") }
  }

  /// A header with an `enc` other than its key's is refused, even if it is authentic.
  @Test func headersThatLie() throws {
    let key = try Secret(bytes: .pseudorandom(32))
    let ring = KeyRing(["k": .jwe(try JWEKey(shared: key, .a256GCM))])
    for (stated, isOpened) in [("A256GCM", true), ("A128GCM", false), ("A128CBC-HS256", false)] {
      let header = BaseEncoding.base64URL.encode(#"{"alg":"dir","enc":"\#(stated)"}"#.utf8.span)
      let iv = filled(1, 12)
      let sealed = try JWEEncryption.a256GCM.seal(
        "text".utf8.span, key: key, iv: iv, additionalData: Array(header.utf8))
      let parts = [iv, sealed.ciphertext, sealed.tag].map { BaseEncoding.base64URL.encode($0.span) }
      let text = "\(header)..\(parts.joined(separator: "."))"
      #expect((try? ring.open(jwe: text, keyID: "k")) == (isOpened ? Array("text".utf8) : nil))
      // A header that names no key is refused, too, if the payload names none either.
      #expect(throws: DecryptingError.keyUnknown) { try ring.open(jwe: text, keyID: nil) }
    }
  }

  @Test func namesThatNeedEscaping() throws {
    let key = try JWEKey(shared: Secret(bytes: filled(0, 16)), .a128GCM)
    for name in ["\"", "\\", " ", "ü", "\n"] {
      #expect(throws: DecryptingError.failed) { try JWESealer.seal("".utf8.span, for: key, keyID: name) }
    }
  }

  /// RFC 7520 section 5.6, and section 5.5 with its agreed key.
  @Test func cookbook() throws {
    let ring = KeyRing([
      "77c7e2b8-6e13-45cf-8672-617b5b45243a": try KeyRecord(jweShared: "XctOhJAkA-pD9Lh7ZgW_2A", .a128GCM),
      "meriadoc.brandybuck@buckland.example": try KeyRecord(
        jweAgreement: "r_kHyZ-a06rmxM3yESK84r1otSg-aQcVStkRhA-iCM8", .a128CBCHS256),
    ])
    #expect(try ring.open(jwe: CookbookText.direct, keyID: nil) == Array(CookbookText.plaintext.utf8))
    #expect(try ring.open(jwe: CookbookText.agreement, keyID: nil) == Array(CookbookText.plaintext.utf8))
  }

  /// RFC 7520 figure 128: the key that is derived from the agreement.
  @Test func derivation() throws {
    let key = try P256PrivateKey(scalar: Secret(base64URL: "r_kHyZ-a06rmxM3yESK84r1otSg-aQcVStkRhA-iCM8"))
    let message = try JWEMessage(compact: CookbookText.agreement)
    let header = try JWEHeader(json: message.header)
    guard case .agreement(let ephemeral) = header.algorithm else { throw DecryptingError.failed }
    let derived = try JWEKey.derive(
      key.agreement(with: ephemeral.span), .a128CBCHS256, producer: [], recipient: [])
    #expect(derived == (try Secret(base64URL: "hzHdlfQIAEehb8Hrd_mFRhKsKLEzPfshfXs9l6areCc")))
  }

  /// RFC 7518 appendix C, which has the names of both parties.
  @Test func derivationWithNames() throws {
    let key = try P256PrivateKey(scalar: Secret(base64URL: "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw"))
    let point =
      try [4] + [UInt8](base64URL: "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0")
      + [UInt8](base64URL: "SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps")
    let derived = try JWEKey.derive(
      key.agreement(with: point.span), .a128GCM, producer: Array("Alice".utf8), recipient: Array("Bob".utf8))
    #expect(derived == (try Secret(base64URL: "VqqN6vgjbSBcIijNcacQGg")))
  }
}
