import Testing

@testable import Decrypting

/// Wycheproof's ECDH on P-256. Compressed points, which are "acceptable" there, are refused.
@Suite struct AgreementVectorTests {
  struct AgreementTest: WycheproofTest {
    let tcId: Int
    let comment: String
    let result: String
    let `public`: String
    let `private`: String
    let shared: String
  }

  static let vectors = Vectors.wycheproof(
    "ecdh_secp256r1_ecpoint_test.json", as: PlainGroup<AgreementTest>.self)

  @Test(arguments: vectors)
  func agreement(_ vector: WycheproofCase<PlainGroup<AgreementTest>>) throws {
    let test = vector.test
    // The file has it as a number, with or without leading zeros.
    let digits = String(repeating: "0", count: 64) + test.private
    let key = try P256PrivateKey(scalar: Secret(hex: String(digits.suffix(64))))
    let point = try [UInt8](hex: test.public)
    let shared = try? key.agreement(with: point.span)
    #expect(try shared?.bytes == (vector.isValid ? [UInt8](hex: test.shared) : nil))
  }
}
