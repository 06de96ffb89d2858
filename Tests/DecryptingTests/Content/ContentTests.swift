import Testing

@testable import Decrypting

/// What holds for all formats of encrypted content.
@Suite struct ContentTests {
  @Test(arguments: ContentCase.allCases, [0, 1, 15, 16, 17, 100, 3_000])
  func opens(_ format: ContentCase, _ size: Int) throws {
    let plaintext = [UInt8].pseudorandom(size)
    let ring = KeyRing([ContentCase.keyID: try format.record])
    #expect(try ring.open(format.seal(plaintext)) == plaintext)
  }

  @Test(arguments: ContentCase.allCases)
  func everyTruncation(_ format: ContentCase) throws {
    let ring = KeyRing([ContentCase.keyID: try format.record])
    for size in [0, 60] {
      let message = try format.seal(.pseudorandom(size))
      let octets = message.octets
      for count in 0..<octets.count {
        #expect(throws: (any Error).self, "\(count) of \(octets.count)") {
          try ring.open(message.replacing(Array(octets.prefix(count))))
        }
      }
    }
  }

  @Test(arguments: ContentCase.allCases)
  func everyFlippedBit(_ format: ContentCase) throws {
    let ring = KeyRing([ContentCase.keyID: try format.record])
    let plaintext = [UInt8].pseudorandom(60)
    let message = try format.seal(plaintext)
    let octets = message.octets
    for bit in 0..<octets.count * 8 {
      let opened = try? ring.open(message.replacing(octets.flipping(bit: bit)))
      if format.unauthenticated.contains(bit / 8) {
        #expect(opened == nil || opened == plaintext, "bit \(bit)")
      } else {
        #expect(opened == nil, "bit \(bit)")
      }
    }
  }

  @Test(arguments: ContentCase.allCases, [1, 16, 17, 40])
  func trailingOctets(_ format: ContentCase, _ count: Int) throws {
    let ring = KeyRing([ContentCase.keyID: try format.record])
    let message = try format.seal(.pseudorandom(60))
    for octet in [0, UInt8(ascii: "A"), UInt8(ascii: "="), UInt8(ascii: ".")] {
      #expect(throws: (any Error).self) {
        try ring.open(message.replacing(message.octets + filled(octet, count)))
      }
    }
  }

  /// Content that is longer than a payload may be.
  @Test(arguments: ContentCase.allCases)
  func tooLong(_ format: ContentCase) throws {
    let ring = KeyRing([ContentCase.keyID: try format.record])
    #expect(throws: DecryptingError.failed) { try ring.open(format.seal(filled(1, 66_000))) }
  }

  /// The name of a key also determines the format.
  @Test(arguments: ContentCase.allCases)
  func keysOfOtherFormats(_ format: ContentCase) throws {
    let message = try format.seal(.pseudorandom(60))
    for other in ContentCase.allCases where !format.sharesKeys(with: other) {
      let ring = KeyRing([ContentCase.keyID: try other.record])
      #expect(throws: DecryptingError.failed, "\(other)") { try ring.open(message) }
    }
  }

  /// No other key is tried.
  @Test(arguments: ContentCase.allCases)
  func unknownKeys(_ format: ContentCase) throws {
    let ring = KeyRing(["another": try format.record])
    let message = try format.seal(.pseudorandom(60))
    #expect(throws: DecryptingError.keyUnknown) { try ring.open(message) }
    // The right key under a name that the message does not use.
    switch format {
    case .records, .recordsOfMany, .jweShared128, .jweShared256, .jweSharedCBC, .jweAgreed128, .jweAgreed256,
      .jweAgreedCBC:
      guard case .records(let key) = try format.record else {
        #expect(throws: DecryptingError.failed) { try ring.open(message, keyID: "another") }
        return
      }
      let renamed = KeyRing(["another": .records(try RecordsKey(key.secret, keyID: Array("another".utf8)))])
      #expect(throws: DecryptingError.failed) { try renamed.open(message, keyID: "another") }
    case .webPush, .webPushOfMany, .legacyWebPush:
      #expect(try ring.open(message, keyID: "another") == .pseudorandom(60))
    }
  }
}

extension ContentCase {
  /// Whether a key's record is valid for both formats.
  fileprivate func sharesKeys(with other: ContentCase) -> Bool {
    let families: [Set<ContentCase>] = [[.records, .recordsOfMany], [.webPush, .webPushOfMany]]
    return self == other || families.contains { $0.contains(self) && $0.contains(other) }
  }
}
