import Foundation
import Testing

@testable import NotificationExtension

@Suite("SHA-256") struct SHA256DigestTests {
  private static func hex(_ pieces: [Data]) -> String {
    var digest = SHA256Digest()
    for piece in pieces { digest.update(piece) }
    return digest.finish().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// NIST, "Examples with Intermediate Values: SHA-256", and FIPS 180-2 appendix B.3 for the million.
  @Test(
    "gives the published digests",
    arguments: [
      ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
  func vectors(text: String, count: Int, digest: String) {
    let data = Data(String(repeating: text, count: count).utf8)
    #expect(Self.hex([data]) == digest)
    var rest = data[...]
    var pieces: [Data] = []
    while !rest.isEmpty {
      pieces.append(rest.prefix(997))
      rest = rest.dropFirst(997)
    }
    #expect(Self.hex(pieces) == digest)
  }

  /// The expected value comes from `head -c N /dev/zero | sha256sum` for every length around a block, hashed
  /// once more.
  @Test("pads every length") func lengths() {
    let all = (0...130).map { Self.hex([Data(repeating: 0, count: $0)]) }.joined()
    #expect(Self.hex([Data(all.utf8)]) == "54e76fce7077001577d4cd003983a26b89611ab84dce9950b9aaf77133a69f94")
  }
}
