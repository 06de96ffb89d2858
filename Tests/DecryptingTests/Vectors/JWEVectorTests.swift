import Testing

@testable import Decrypting

/// The JWEs of Wycheproof and RFC 7520.
@Suite struct JWEVectorTests {
  /// A private JSON Web Key.
  struct Key: Decodable, Sendable {
    let kty: String
    let kid: String?
    let alg: String?
    let crv: String?
    let k: String?
    let d: String?

    /// The record in a key file for messages with this `enc`; nil if the key is for something that
    /// is not supported.
    func record(_ encryption: JWEEncryption) -> KeyRecord? {
      switch (kty, alg) {
      case ("oct", encryption.rawValue), ("oct", "dir"), ("oct", nil):
        k.flatMap { try? KeyRecord(jweShared: $0, encryption) }
      case ("EC", "ECDH-ES"), ("EC", nil):
        crv == "P-256" ? d.flatMap { try? KeyRecord(jweAgreement: $0, encryption) } : nil
      default: nil
      }
    }
  }

  struct Group: WycheproofGroup {
    let `private`: Key?
    let tests: [Message]
  }

  struct Message: WycheproofTest {
    let tcId: Int
    let comment: String
    let result: String
    let pt: String?
    let jwe: String
  }

  struct Cookbook: Decodable, Sendable, CustomStringConvertible {
    struct Input: Decodable, Sendable {
      let plaintext: String
      let key: Key
      let enc: String
    }

    struct Output: Decodable, Sendable {
      let compact: String
    }

    let title: String
    let input: Input
    let output: Output
    var description: String { title }
  }

  static let messages = Vectors.wycheproof("json_web_encryption_test.json", as: Group.self)
  static let examples = [
    "5_5.key_agreement_using_ecdh-es_with_aes-cbc-hmac-sha2", "5_6.direct_encryption_using_aes-gcm",
  ].compactMap { Vectors.read("rfc7520/\($0).json", as: Cookbook.self) }

  /// Each key gets a record for each `enc` in turn. One of them opens the valid messages that are
  /// supported, and none opens any others.
  @Test(arguments: messages)
  func wycheproof(_ vector: WycheproofCase<Group>) throws {
    let opened = JWEEncryption.allCases.filter { encryption in
      guard let record = vector.group.private?.record(encryption) else { return false }
      let plaintext = try? open(vector.test.jwe, with: record)
      if let plaintext { #expect((try? [UInt8](hex: vector.test.pt ?? "")) == plaintext) }
      return plaintext != nil
    }
    #expect(opened.count == (vector.isValid && Self.supported.contains(vector.test.tcId) ? 1 : 0))
  }

  /// ECDH-ES with the three `enc`, and the two of RFC 7520. The others wrap keys, or differ in
  /// size.
  private static let supported: Set = [76, 78, 79, 131, 132]

  /// No other message is opened, even if the record of the key claims to be for its algorithm.
  @Test(arguments: messages.filter { !supported.contains($0.test.tcId) })
  func keysOfOtherAlgorithms(_ vector: WycheproofCase<Group>) throws {
    for encryption in JWEEncryption.allCases {
      for text in [vector.group.private?.k, vector.group.private?.d].compactMap({ $0 }) {
        for record in [
          try? KeyRecord(jweShared: text, encryption), try? KeyRecord(jweAgreement: text, encryption),
        ] {
          guard let record else { continue }
          #expect(throws: (any Error).self) { try open(vector.test.jwe, with: record) }
        }
      }
    }
  }

  @Test(arguments: examples)
  func cookbook(_ example: Cookbook) throws {
    let encryption = try #require(JWEEncryption(rawValue: example.input.enc))
    let kid = try #require(example.input.key.kid)
    let ring = KeyRing([kid: try #require(example.input.key.record(encryption))])
    let plaintext = Array(example.input.plaintext.utf8)
    #expect(try ring.open(jwe: example.output.compact, keyID: kid) == plaintext)
    #expect(try ring.open(jwe: example.output.compact, keyID: nil) == plaintext)
  }

  /// Opens a message with this key, whatever name its header has for the key.
  private func open(_ text: String, with record: KeyRecord) throws -> [UInt8] {
    let message = try JWEMessage(compact: text)
    let header = try JWEHeader(json: message.header)
    let name = header.keyID ?? "k"
    return try KeyRing([name: record]).open(jwe: text, keyID: name)
  }
}
