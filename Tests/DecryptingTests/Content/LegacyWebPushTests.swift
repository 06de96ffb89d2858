import Testing

@testable import Decrypting

/// What only the older Web Push coding has: no header, padding first, and a shorter last record.
@Suite struct LegacyWebPushTests {
  private let key: WebPushKey

  init() throws {
    key = try WebPushKey(
      P256PrivateKey(scalar: Secret(base64URL: "9FWl15_QUQAWDaD3k3l50ZBZQJ4au27F1V4F0uLSD_M")),
      authentication: Secret(base64URL: "R29vIGdvbyBnJyBqb29iIQ"))
  }

  /// The example of draft-ietf-httpbis-encryption-encoding-02, section 5.6, in the shape of
  /// Metatext.
  @Test func example() throws {
    let message = try LegacyWebPushMessage(
      m: "6nqAQUME8hNqw5J3kl8cpVVJylXKYqZOeseZG8UueKpA",
      k: "BNoRDbb84JGm8g5Z5CFxurSqsXWJ11ItfXEWYVLE85Y7CYkDjXsIEc4aqxYaQ1G8BqkXCJ6DPpDrWtdWj_mugHU",
      s: "lngarbyKfMoi9Z75xYXmkg")
    let ring = KeyRing(["account": .legacyWebPush(key)])
    #expect(try ring.open(message, keyID: "account") == Array("I am the walrus".utf8))
    // The same message as toot-relay writes it.
    let z85 = message.z85Members
    #expect(try LegacyWebPushMessage(p: z85.p, k: z85.k, s: z85.s) == message)
    let again = message.members
    #expect(try LegacyWebPushMessage(m: again.m, k: again.k, s: again.s) == message)
  }

  @Test(arguments: [3, 4, 7, 24, 100, 4_096], [0, 1, 2, 4, 5, 22, 50, 98, 196, 4_100])
  func records(_ recordSize: Int, _ size: Int) throws {
    let plaintext = [UInt8].pseudorandom(size)
    // Records of three bytes have a padding length of two. The largest content does not fit then.
    for padding in [0, 1, 10] where recordSize > 7 || size < 1_000 {
      let message = try LegacyWebPushSealer.seal(
        plaintext.span, for: key, recordSize: recordSize, padding: padding)
      #expect(try message.open(with: key, recordSize: recordSize) == plaintext)
    }
  }

  /// A message that ends with a full record was cut, even if every record is authentic.
  @Test func cutBetweenRecords() throws {
    let message = try LegacyWebPushSealer.seal(
      [UInt8].pseudorandom(100).span, for: key, recordSize: 24)
    #expect(try message.open(with: key, recordSize: 24) == .pseudorandom(100))
    for records in 0...4 {
      let cut = try LegacyWebPushMessage(
        body: Array(message.body.prefix(records * 40)), salt: message.salt, sender: message.sender)
      #expect(throws: DecryptingError.failed) {
        try cut.open(with: key, recordSize: 24)
      }
    }
    let swapped = Array(message.body[40..<80] + message.body[..<40] + message.body[80...])
    let other = try LegacyWebPushMessage(body: swapped, salt: message.salt, sender: message.sender)
    #expect(throws: DecryptingError.failed) {
      try other.open(with: key, recordSize: 24)
    }
  }

  /// Padding whose stated length exceeds the record, or that contains nonzero bytes.
  @Test(arguments: [[0xff, 0xff], [0, 1], [0, 2, 0], [0, 2, 0, 1], [0, 1, 9], [0], []] as [[UInt8]])
  func badPadding(_ padded: [UInt8]) throws {
    let sender = try P256PrivateKey.random()
    let salt = [UInt8].pseudorandom(16)
    let schedule = try key.legacySchedule(
      agreement: sender.agreement(with: key.agreement.point.span), sender: sender.point, salt: salt)
    let body = try CipherContext.encrypt(
      padded.span, .aes128GCM, key: schedule.key, iv: schedule.nonce)
    let message = try LegacyWebPushMessage(body: body, salt: salt, sender: sender.point)
    #expect(throws: DecryptingError.failed) { try message.open(with: key) }
  }

  @Test func otherLengths() throws {
    for (body, salt, sender) in [(5, 15, 65), (5, 17, 65), (5, 16, 64), (5, 16, 33), (70_000, 16, 65)] {
      #expect(throws: DecryptingError.failed) {
        try LegacyWebPushMessage(body: filled(1, body), salt: filled(1, salt), sender: filled(4, sender))
      }
    }
    for size in [0, 2, 65_537] {
      #expect(throws: DecryptingError.failed) {
        try LegacyWebPushSealer.seal("".utf8.span, for: key, recordSize: size)
      }
    }
  }
}
