internal import Supporting

/// Asks OpenSSL for what is known already, each primitive that content and media are decrypted with. 0.3 ms.
///
/// A library that answers otherwise, or a provider that is missing, would make every message look tampered
/// with; or let tampered ones pass.
package enum SelfTest {
  /// - Throws: `DecryptingError.answersOtherwise` with the first primitive that does.
  package static func run() throws(DecryptingError) {
    for answer in KnownAnswer.all {
      try check("AES (\(answer.cipher))") { () throws(DecryptingError) in try answer.holds() }
    }
    // FIPS 180-4, NIST's example for one block.
    try check("SHA-256", gives: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") {
      () throws(DecryptingError) in
      let digest = try OpenSSL.check(SHA256.digest(of: "abc".utf8.span))
      return try Secret(digest.span)
    }
    // RFC 4231 section 4.2.
    try check("HMAC-SHA256", gives: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7") {
      () throws(DecryptingError) in
      let key = [UInt8](repeating: 0x0B, count: 20)
      var code = try MessageCode(key: Secret(key.span))
      try code.update("Hi There".utf8.span)
      let made = try code.finish()
      return try Secret(made.span)
    }
    // RFC 5869 appendix A.1.
    let derived = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    try check("HKDF", gives: derived) { () throws(DecryptingError) in
      let secret = [UInt8](repeating: 0x0B, count: 22)
      let salt = try BaseEncoding.base16.decode("000102030405060708090a0b0c")
      return try KeyDerivation.hkdf(
        Secret(secret.span), salt: salt.span,
        info: BaseEncoding.base16.decode("f0f1f2f3f4f5f6f7f8f9"), count: 42)
    }
    // RFC 7518 appendix C: the `otherInfo` of A128GCM between Alice and Bob.
    try check("the Concat KDF", gives: "56aa8deaf8236d205c2228cd71a7101a") { () throws(DecryptingError) in
      let secret = "9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4"
      let info = "000000074131323847434d00000005416c69636500000003426f6200000080"
      return try KeyDerivation.concatKDF(
        Secret(text: secret.utf8.span, in: .base16), info: BaseEncoding.base16.decode(info), count: 16)
    }
    // RFC 5903 section 8.1; and a point that is not on the curve is refused.
    let agreed = "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"
    try check("ECDH on P-256", gives: agreed) { () throws(DecryptingError) in
      let scalar = "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"
      let key = try P256PrivateKey(scalar: Secret(text: scalar.utf8.span, in: .base16))
      var point = try BaseEncoding.base16.decode(
        "04" + "d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63"
          + "56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab")
      let shared = try key.agreement(with: point.span)
      point[64] ^= 1
      guard (try? key.agreement(with: point.span)) == nil else { throw .failed }
      return shared
    }
  }

  private static func check(
    _ primitive: String, gives expected: String, _ make: () throws(DecryptingError) -> Secret
  ) throws(DecryptingError) {
    try check(primitive) { () throws(DecryptingError) in
      try make() == Secret(text: expected.utf8.span, in: .base16)
    }
  }

  private static func check(
    _ primitive: String, _ holds: () throws(DecryptingError) -> Bool
  ) throws(DecryptingError) {
    guard (try? holds()) == true else { throw .answersOtherwise(primitive: primitive) }
  }
}
