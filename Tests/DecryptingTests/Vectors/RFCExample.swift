@testable import Decrypting

/// An example of RFC 8188 section 3 or RFC 8291 section 5.
struct RFCExample: Decodable, Sendable, CustomStringConvertible {
  /// Values that the RFC itself does not print.
  struct Computed: Decodable {
    let cek: String
    let nonce: String
  }

  let name: String
  /// The shared key of RFC 8188. In RFC 8291 it is the result of the agreement.
  let ikm: String?
  let ua_private: String?
  let auth: String?
  let body: String
  let plaintext: String
  let cek: String?
  let nonce: String?
  let computed: Computed?

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
      return try key.key(agreement: key.agreement.agreement(with: sender.span), sender: sender)
    default: throw DecryptingError.failed
    }
  }
}
