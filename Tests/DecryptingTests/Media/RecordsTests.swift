import Testing

@testable import Decrypting

/// What only the `aes128gcm` coding has: records.
@Suite struct RecordsTests {
  private let key: RecordsKey
  private let header: RecordsHeader

  init() throws {
    key = try RecordsKey(Secret(bytes: .pseudorandom(16)), keyID: [])
    header = try RecordsHeader(salt: .pseudorandom(16), recordSize: 40, keyID: [])
  }

  /// Records of 40 bytes, each of them authentic, whatever they contain.
  private func records(_ contents: [(content: [UInt8], delimiter: UInt8, padding: Int)]) throws -> [[UInt8]] {
    var sealer = try RecordsSealer(key, recordSize: 40, salt: header.salt)
    return try contents.map {
      try sealer.record($0.content.span, delimiter: $0.delimiter, padding: $0.padding)
    }
  }

  private func open(_ records: [[UInt8]]) -> [UInt8]? {
    let body = header.bytes + records.joined()
    let whole = try? FileKey.records(key).open(body)
    #expect(whole == (try? FileKey.records(key).open(body, pieces: [3])))
    #expect(whole == (try? key.open(body)))
    return whole
  }

  private let full: [UInt8] = .pseudorandom(23)

  @Test func whatTheRFCAllows() throws {
    #expect(open(try records([(full, 1, 0), (full, 1, 0), ([7], 2, 0)])) == full + full + [7])
    #expect(open(try records([(full, 1, 0), ([], 2, 0)])) == full)
    #expect(open(try records([([], 1, 23), ([1], 2, 22)])) == [1])
    #expect(open(try records([([], 2, 0)])) == [])
    #expect(open(try records([(full, 2, 0)])) == full)
  }

  @Test("at most 65,536 records of less than 1 KB are read", arguments: [65_536, 65_537])
  func smallRecords(count: Int) throws {
    let header = try RecordsHeader(salt: .pseudorandom(16), recordSize: 18, keyID: [])
    var sealer = try RecordsSealer(key, recordSize: 18, salt: header.salt)
    var body = header.bytes
    for number in 1...count {
      body += try sealer.record([7].span, delimiter: number == count ? 2 : 1, padding: 0)
    }
    #expect((try? FileKey.records(key).open(body))?.count == (count == 65_536 ? count : nil))
  }

  @Test func notTheLast() throws {
    #expect(open(try records([(full, 1, 0)])) == nil)
    #expect(open(try records([(full, 1, 0), (full, 1, 0)])) == nil)
    #expect(open(try records([(full, 1, 0), ([5], 1, 0)])) == nil)
    #expect(open([]) == nil)
  }

  @Test func moreAfterTheLast() throws {
    #expect(open(try records([(full, 2, 0), ([5], 2, 0)])) == nil)
    #expect(open(try records([(full, 2, 0), (full, 1, 0)])) == nil)
  }

  @Test(arguments: [0, 3, 4, 0x80, 0xff] as [UInt8])
  func otherDelimiters(_ delimiter: UInt8) throws {
    #expect(open(try records([([9, 0], delimiter, 0)])) == nil)
    #expect(open(try records([(full, delimiter, 0), ([9], 2, 0)])) == nil)
  }

  /// No delimiter at all, although the record is authentic.
  @Test func onlyZeros() throws {
    #expect(open(try records([([], 0, 5)])) == nil)
    #expect(open(try records([([], 0, 23), ([9], 2, 0)])) == nil)
  }

  @Test func outOfOrder() throws {
    let good = try records((0..<4).map { (filled($0, 23), $0 == 3 ? 2 : 1, 0) })
    #expect(open(good) != nil)
    for first in 0..<4 {
      var dropped = good
      dropped.remove(at: first)
      #expect(open(dropped) == nil)
      var repeated = good
      repeated.insert(good[first], at: first)
      #expect(open(repeated) == nil)
      for second in 0..<first {
        var swapped = good
        swapped.swapAt(first, second)
        #expect(open(swapped) == nil)
      }
    }
  }

  @Test(arguments: [0, 1, 15, 16, 17])
  func recordsTooSmallForAnything(_ size: Int) throws {
    let bytes = header.salt + [0, 0, 0, UInt8(size), 0]
    #expect(throws: DecryptingError.failed) { try RecordsHeader(bytes) }
    #expect(throws: (any Error).self) { try FileKey.records(key).open(bytes + .pseudorandom(200)) }
  }

  /// Fewer bytes than a tag and a delimiter, after complete records.
  @Test func stumps() throws {
    let good = try records([(full, 1, 0)])
    for count in 1...16 { #expect(open(good + [filled(0, count)]) == nil) }
  }

  @Test func names() throws {
    let plaintext = full
    for (expected, stated, isAccepted) in [
      ("a", "a", true), ("a", "b", false), ("a", "", true), ("", "a", false), ("", "", true),
      ("a", "ab", false),
    ] {
      let sealing = try RecordsKey(key.secret, keyID: Array(stated.utf8))
      let body = try RecordsSealer(sealing).seal(plaintext.span)
      let opening = try RecordsKey(key.secret, keyID: Array(expected.utf8))
      let opened = try? FileKey.records(opening).open(body)
      #expect(opened == (isAccepted ? plaintext : nil))
    }
    let anything = try RecordsKey(key.secret, keyID: nil)
    let body = try RecordsSealer(anything, keyID: filled(0xff, 255)).seal(plaintext.span)
    #expect(try FileKey.records(anything).open(body, pieces: [10]) == plaintext)
    #expect(throws: DecryptingError.failed) {
      _ = try RecordsSealer(anything, keyID: filled(1, 256))
    }
  }

  @Test func numbersOfRecordsChangeTheNonceFromItsEnd() throws {
    var schedule = RecordSchedule(
      key: try Secret(bytes: filled(0, 16)), nonce: try Secret(bytes: filled(0xf0, 12)))
    for _ in 0..<0x1_0203 { try schedule.advance() }
    #expect(schedule.nonce == filled(0xf0, 9) + [0xf1, 0xf2, 0xf3])
  }

  @Test func shortKeys() throws {
    #expect(throws: DecryptingError.failed) { try RecordsKey(Secret(bytes: filled(1, 15))) }
  }
}
