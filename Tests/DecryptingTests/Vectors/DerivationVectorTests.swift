import Testing

@testable import Decrypting

/// Wycheproof's HKDF with SHA-256.
@Suite struct DerivationVectorTests {
  struct DerivationTest: WycheproofTest {
    let tcId: Int
    let comment: String
    let result: String
    let ikm: String
    let salt: String
    let info: String
    let size: Int
    let okm: String
  }

  static let vectors = Vectors.wycheproof("hkdf_sha256_test.json", as: PlainGroup<DerivationTest>.self)

  @Test(arguments: vectors)
  func derivation(_ vector: WycheproofCase<PlainGroup<DerivationTest>>) throws {
    let test = vector.test
    let salt = try [UInt8](hex: test.salt)
    let derived = try? KeyDerivation.hkdf(
      Secret(hex: test.ikm), salt: salt.span, info: [UInt8](hex: test.info), count: test.size)
    #expect(try derived?.bytes == (vector.isValid ? [UInt8](hex: test.okm) : nil))
  }
}
