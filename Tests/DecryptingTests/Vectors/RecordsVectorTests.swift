import Testing

@testable import Decrypting

/// The examples of RFC 8188 and RFC 8291, and the messages of web-push-libs/ecec.
@Suite struct RecordsVectorTests {
  struct RFCFile: Decodable {
    let tests: [RFCExample]
  }

  struct ECECFile: Decodable {
    let tests: [ECECMessage]
  }

  struct ECECMessage: Decodable, Sendable, CustomStringConvertible {
    let desc: String
    let plaintext: String?
    let ikm: String?
    let recvPrivKey: String?
    let authSecret: String?
    let payload: String
    let err: String?
    var description: String { desc }

    var record: KeyRecord {
      get throws {
        guard let recvPrivKey, let authSecret else { return .records(try RecordsKey(Secret(hex: ikm ?? ""))) }
        return .webPush(
          try WebPushKey(
            P256PrivateKey(scalar: Secret(hex: recvPrivKey)), authentication: Secret(hex: authSecret)))
      }
    }
  }

  static let examples = Vectors.read("rfc8188_rfc8291.json", as: RFCFile.self)?.tests ?? []
  static let messages = Vectors.read("ecec_aes128gcm_decrypt.json", as: ECECFile.self)?.tests ?? []

  @Test(arguments: examples)
  func content(_ example: RFCExample) throws {
    let ring = KeyRing(["k": try example.record])
    #expect(try ring.open(aes128gcm: [UInt8](hex: example.body), keyID: "k") == Array(example.plaintext.utf8))
  }

  @Test(arguments: examples.filter { $0.ikm != nil })
  func media(_ example: RFCExample) throws {
    let key = FileKey.records(try RecordsKey(Secret(hex: example.ikm ?? "")))
    let body = try [UInt8](hex: example.body)
    for pieces in [[1], [5], [1_000]] {
      #expect(try key.open(body, pieces: pieces) == Array(example.plaintext.utf8))
    }
  }

  /// The intermediate keys, as printed in the RFCs.
  @Test(arguments: examples)
  func schedule(_ example: RFCExample) throws {
    let cek = try #require(example.cek ?? example.computed?.cek)
    let nonce = try #require(example.nonce ?? example.computed?.nonce)
    let body = try [UInt8](hex: example.body)
    let salt = try RecordsHeader(body).salt
    let schedule = try example.key(for: body).schedule(salt: salt.span)
    #expect(schedule.key == (try Secret(hex: cek)))
    #expect(try schedule.nonce == [UInt8](hex: nonce))
    if let ikm = example.ikm { #expect(try example.key(for: body).secret == Secret(hex: ikm)) }
  }

  /// Our output is identical to that of the RFCs.
  @Test(arguments: examples)
  func sealing(_ example: RFCExample) throws {
    let body = try [UInt8](hex: example.body)
    let header = try RecordsHeader(body)
    let sealer = try RecordsSealer(
      example.key(for: body), recordSize: header.recordSize, salt: header.salt, keyID: header.keyID)
    let plaintext = Array(example.plaintext.utf8)
    // The second example of RFC 8188 pads its first record by one byte.
    guard header.recordSize == 25 else {
      let made = try sealer.seal(plaintext.span)
      #expect(made == body)
      return
    }
    var records = sealer
    var made = header.bytes
    made += try records.record(plaintext.span.extracting(..<7), delimiter: 1, padding: 1)
    made += try records.record(plaintext.span.extracting(7...), delimiter: 2, padding: 0)
    #expect(made == body)
  }

  /// One of the invalid messages has an invalid key.
  @Test(arguments: messages)
  func ecec(_ message: ECECMessage) throws {
    let ring = KeyRing((try? message.record).map { ["k": $0] } ?? [:])
    let opened = try? ring.open(aes128gcm: [UInt8](hex: message.payload), keyID: "k")
    #expect(opened == message.plaintext.map { Array($0.utf8) })
    #expect((opened == nil) == (message.err != nil))
  }
}
