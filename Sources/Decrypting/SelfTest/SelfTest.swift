internal import Supporting

/// Checks every primitive that decrypts content and media against a known answer, in 0.3 ms. With a
/// broken library, every message would look tampered with, or tampered messages would pass.
package enum SelfTest {
  package static func run() throws(DecryptingError) {
    for answer in KnownAnswer.all where (try? answer.holds()) != true {
      throw .answersOtherwise(primitive: "AES (\(answer.cipher))")
    }
    // FIPS 180-4, NIST's example for one block.
    try check("SHA-256", gives: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") {
      let digest = try OpenSSL.check(SHA256.digest(of: "abc".utf8.span))
      return try Secret(digest.span)
    }
    // RFC 4231 section 4.2.
    try check("HMAC-SHA256", gives: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7") {
      var code = try MessageCode(key: secret(String(repeating: "0b", count: 20)))
      try code.update("Hi There".utf8.span)
      let made = try code.finish()
      return try Secret(made.span)
    }
    // RFC 5869 appendix A.1.
    let derived = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    try check("HKDF", gives: derived) {
      let key = try secret(String(repeating: "0b", count: 22))
      let salt = try hex.decode("000102030405060708090a0b0c")
      return try KeyDerivation.hkdf(key, salt: salt.span, info: hex.decode("f0f1f2f3f4f5f6f7f8f9"), count: 42)
    }
    // RFC 7518 appendix C: the `otherInfo` of A128GCM between Alice and Bob.
    try check("the Concat KDF", gives: "56aa8deaf8236d205c2228cd71a7101a") {
      let key = try secret("9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4")
      let info = try hex.decode("000000074131323847434d00000005416c69636500000003426f6200000080")
      return try KeyDerivation.concatKDF(key, info: info, count: 16)
    }
    // RFC 5903 section 8.1. A point that is not on the curve must be refused.
    let agreed = "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"
    try check("ECDH on P-256", gives: agreed) {
      let scalar = try secret("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433")
      let key = try P256PrivateKey(scalar: scalar)
      var point = try hex.decode(
        "04" + "d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63"
          + "56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab")
      let shared = try key.agreement(with: point.span)
      point[64] ^= 1
      guard (try? key.agreement(with: point.span)) == nil else { throw DecryptingError.failed }
      return shared
    }
  }

  private static let hex = BaseEncoding.base16

  private static func secret(_ digits: String) throws(DecryptingError) -> Secret {
    try Secret(text: digits.utf8.span, in: hex)
  }

  private static func check(
    _ primitive: String, gives expected: String, _ make: () throws -> Secret
  ) throws(DecryptingError) {
    guard (try? make() == secret(expected)) == true else { throw .answersOtherwise(primitive: primitive) }
  }
}
