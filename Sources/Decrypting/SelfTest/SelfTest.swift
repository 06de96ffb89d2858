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
    try check("SHA-256", digestHolds)
    try check("HMAC-SHA256", messageCodeHolds)
    try check("SHA-256 beside HMAC-SHA256", pairHolds)
    try check("HKDF", derivationHolds)
    try check("the Concat KDF", concatenationHolds)
    try check("ECDH on P-256", agreementHolds)
  }

  private static func check(
    _ primitive: String, _ holds: () throws(DecryptingError) -> Bool
  ) throws(DecryptingError) {
    guard (try? holds()) == true else { throw .answersOtherwise(primitive: primitive) }
  }

  /// FIPS 180-4, NIST's example for one block.
  private static func digestHolds() throws(DecryptingError) -> Bool {
    var digest = try OpenSSL.check(SHA256())
    digest.update("abc".utf8.span)
    return try OpenSSL.check(digest.finish())
      == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".decodedHexadecimal()
  }

  /// RFC 4231 section 4.2.
  private static func messageCodeHolds() throws(DecryptingError) -> Bool {
    var code = try MessageCode(key: Secret([UInt8](repeating: 0x0B, count: 20).span))
    try code.update("Hi There".utf8.span)
    return try code.finish()
      == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7".decodedHexadecimal()
  }

  /// Two blocks and a part of one, which `SHA256` and `MessageCode` know: both hold already.
  private static func pairHolds() throws(DecryptingError) -> Bool {
    let bytes = (0..<150).map { UInt8($0) }
    let key = try Secret(bytes.span.extracting(first: 32))
    var pair = try HashPair(key: key)
    pair.update(bytes.span)
    let results = try pair.finish(tail: bytes)
    var digest = try OpenSSL.check(SHA256())
    digest.update(bytes.span)
    digest.update(bytes.span)
    var code = try MessageCode(key: key)
    try code.update(bytes.span)
    let expected = (code: try code.finish(), digest: try OpenSSL.check(digest.finish()))
    return results == expected
  }

  /// RFC 5869 appendix A.1.
  private static func derivationHolds() throws(DecryptingError) -> Bool {
    let salt = try "000102030405060708090a0b0c".decodedHexadecimal()
    let key = try KeyDerivation.hkdf(
      Secret([UInt8](repeating: 0x0B, count: 22).span), salt: salt.span,
      info: "f0f1f2f3f4f5f6f7f8f9".decodedHexadecimal(), count: 42)
    return key
      == (try Secret(
        hexadecimal:
          "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865".utf8.span))
  }

  /// RFC 7518 appendix C: the `otherInfo` of A128GCM between Alice and Bob.
  private static func concatenationHolds() throws(DecryptingError) -> Bool {
    let secret = try Secret(
      hexadecimal: "9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4".utf8.span)
    let info = try "000000074131323847434d00000005416c69636500000003426f6200000080".decodedHexadecimal()
    let key = try KeyDerivation.concatKDF(secret, info: info, count: 16)
    return key == (try Secret(hexadecimal: "56aa8deaf8236d205c2228cd71a7101a".utf8.span))
  }

  /// RFC 5903 section 8.1; and a point that is not on the curve is refused.
  private static func agreementHolds() throws(DecryptingError) -> Bool {
    let key = try P256PrivateKey(
      scalar: Secret(
        hexadecimal: "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433".utf8.span))
    var point = try
      ("04" + "d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63"
      + "56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab").decodedHexadecimal()
    let shared = try key.agreement(with: point.span)
    let expected = try Secret(
      hexadecimal: "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de".utf8.span)
    point[64] ^= 1
    return shared == expected && (try? key.agreement(with: point.span)) == nil
  }
}
