import Testing

@testable import Decrypting

/// Key agreement, and the points that are refused.
@Suite struct P256PrivateKeyTests {
  /// RFC 8291 section 5, whose private key belongs to this public one.
  private static let scalar = "ab5757a70dd4a53e553a6bbf71ffefea2874ec07a6b379e3c48f895a02dc33de"
  private static let point =
    "042571b2becdfde360551aaf1ed0f4cd366c11cebe555f89bcb7b186a53339173168ece2ebe018597bd30479b86e3c8f8eced577ca5918"
    + "7e9246990db682008b0e"

  @Test func publicPoint() throws {
    #expect(try P256PrivateKey(scalar: Secret(hex: Self.scalar)).point == [UInt8](hex: Self.point))
  }

  @Test func bothSidesAgree() throws {
    let (one, other) = (try P256PrivateKey.random(), try P256PrivateKey.random())
    let agreement = try one.agreement(with: other.point.span)
    #expect(try agreement == other.agreement(with: one.point.span))
    #expect(try agreement != one.agreement(with: one.point.span))
  }

  /// OpenSSL accepts more forms of a point: compressed, hybrid, infinity. The formats allow only
  /// the uncompressed form.
  @Test func otherFormsOfAPoint() throws {
    let key = try P256PrivateKey.random()
    let good = try [UInt8](hex: Self.point)
    let parity = good[64] & 1
    #expect(try key.agreement(with: good.span).count == 32)
    let forms: [[UInt8]] = [
      [6 | parity] + good[1...], [2 | parity] + good[1...32], [0], [], [5] + good[1...], good + [0],
    ]
    for form in forms {
      #expect(throws: DecryptingError.failed) { try key.agreement(with: form.span) }
    }
    for bit in 8..<good.count * 8 {
      #expect(throws: DecryptingError.failed) { try key.agreement(with: good.flipping(bit: bit).span) }
    }
  }
}
