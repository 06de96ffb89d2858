@testable import Decrypting

/// An example of RFC 8188 section 3 or RFC 8291 section 5.
struct RFCExample: Decodable, Sendable, CustomStringConvertible {
  /// What the RFC itself does not print.
  struct Computed: Decodable {
    let cek: String
    let nonce: String
  }

  let name: String
  /// The shared key of RFC 8188; in RFC 8291 it is what comes of the agreement.
  var ikm: String?
  var ua_private: String?
  var auth: String?
  let body: String
  let plaintext: String
  var cek: String?
  var nonce: String?
  var computed: Computed?

  var description: String { name }

  var record: KeyRecord {
    get throws {
      guard let ua_private, let auth else { return .records(try RecordsKey(Secret(hex: ikm ?? ""))) }
      return .webPush(
        try WebPushKey(P256PrivateKey(scalar: Secret(hex: ua_private)), authentication: Secret(hex: auth)))
    }
  }

  /// The key of `body`.
  func key(for body: [UInt8]) throws -> RecordsKey {
    switch try record {
    case .records(let key): return key
    case .webPush(let key):
      let sender = try RecordsHeader(body).keyID
      return try key.subscription.key(agreement: key.agreement.agreement(with: sender.span), sender: sender)
    default: throw DecryptingError.failed
    }
  }

  static let copies = [
    RFCExample(
      name: "RFC 8188 section 3.1", ikm: "caa76567eb587a67e88129afed6b393d",
      body: "23506cc6d16db65bf7bbf3a8f78c679b0000100000"
        + "f8d015b9bdaa160044b902916a9a19bbe231908bdadcc101d4f0fe972f138638",
      plaintext: "I am the walrus", cek: "ff09e2cad07ea1fb1c643878b5b4a31f", nonce: "05cb3c82421128b23c19e23c"
    ),
    RFCExample(
      name: "RFC 8188 section 3.2", ikm: "04edd954fc549672ce45b5463296d3d5",
      body: "b8d0a45a2358cca4e704df638b7faa5800000019026131"
        + "ce1bc721cff827be03aa746628bf1ca3baa4722458c40f2a05"
        + "d45be48fa8503dd3c7239d4e114284a60cf74ac2d622a4bfb8",
      plaintext: "I am the walrus",
      computed: Computed(cek: "bbf7843938e3556515ac7f36a50370a7", nonce: "56aca51b5addb7e989acd80f")),
    RFCExample(
      name: "RFC 8291 section 5",
      ua_private: "ab5757a70dd4a53e553a6bbf71ffefea2874ec07a6b379e3c48f895a02dc33de",
      auth: "05305932a1c7eabe13b6cec9fda48882",
      body: "0c6bfaadad67958803092d454676f3970000100041"
        + "04fe33f4ab0dea71914db55823f73b54948f41306d920732dbb9a59a53286482200e597a7b7bc260ba1c227998580992e9"
        + "3973002f3012a28ae8f06bbb78e5ec0f"
        + "f297de5b429bba7153d3a4ae0caa091fd425f3b4b5414add8ab37a19c1bbb05cf5cb5b2a2e0562d558635641ec52812c6c"
        + "8ff42e95ccb86be7cd",
      plaintext: "When I grow up, I want to be a watermelon", cek: "a088555b4e0c45dcb65cdf4288a2f14e",
      nonce: "e21ffde6495727913faa7a0d"),
  ]
}
