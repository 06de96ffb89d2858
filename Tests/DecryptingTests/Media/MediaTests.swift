import TestSupport
import Testing

@testable import Decrypting

/// What holds for all formats of encrypted media.
@Suite struct MediaTests {
  @Test(arguments: MediaCase.allCases, [0, 1, 2, 15, 16, 17, 31, 32, 33, 83, 84, 1_000, 9_000])
  func piecesMakeNoDifference(_ format: MediaCase, _ size: Int) throws {
    let plaintext = [UInt8].pseudorandom(size)
    let (file, key) = try format.seal(plaintext)
    #expect(file != plaintext || size == 0)
    var random = SeededGenerator(seed: UInt64(size))
    let jumble = (0..<50).map { _ in Int.random(in: 1...300, using: &random) }
    for pieces in [[1], [15], [16], [17], [4_096], [100_000], jumble] {
      #expect(try key.open(file, pieces: pieces) == plaintext)
    }
  }

  /// Larger than every buffer. Records of 18 bytes hold one byte each.
  @Test(arguments: MediaCase.allCases)
  func large(_ format: MediaCase) throws {
    let plaintext = [UInt8].pseudorandom(35_001)
    let (file, key) = try format.seal(plaintext)
    #expect(try key.open(file, pieces: [16_384]) == plaintext)
    #expect(try key.open(file, pieces: [1_000_003]) == plaintext)
  }

  /// Zeros look like padding until something follows them.
  @Test(arguments: MediaCase.allCases)
  func zeros(_ format: MediaCase) throws {
    let plaintexts: [[UInt8]] = [
      filled(0, 17_000), filled(0, 17_000) + [1], filled(0, 9_000) + [2] + filled(0, 9_000),
      [1] + filled(0, 17_000), filled(1, 700), filled(2, 700), [0], [1, 0, 1, 0, 2, 0, 2],
    ]
    for plaintext in plaintexts {
      let (file, key) = try format.seal(plaintext)
      for pieces in [[16], [4_096], [50_000]] { #expect(try key.open(file, pieces: pieces) == plaintext) }
    }
  }

  @Test(arguments: MediaCase.allCases)
  func everyTruncation(_ format: MediaCase) throws {
    for size in [0, 1, 48, 200] {
      let (file, key) = try format.seal(.pseudorandom(size))
      for count in 0..<file.count {
        #expect(throws: MediaDecryptionError<Never>.decrypting(.failed), "\(count) of \(file.count)") {
          try key.open(Array(file.prefix(count)), pieces: [33])
        }
      }
    }
  }

  @Test(arguments: MediaCase.allCases)
  func everyFlippedBit(_ format: MediaCase) throws {
    let plaintext = [UInt8].pseudorandom(90)
    let (file, key) = try format.seal(plaintext)
    for bit in 0..<file.count * 8 {
      let opened = try? key.open(file.flipping(bit: bit), pieces: [50])
      if format.unauthenticated.contains(bit / 8) {
        #expect(opened == nil || opened == plaintext, "bit \(bit)")
      } else {
        #expect(opened == nil, "bit \(bit)")
      }
    }
  }

  @Test(arguments: MediaCase.allCases, [1, 15, 16, 17, 18, 32, 100])
  func trailingOctets(_ format: MediaCase, _ count: Int) throws {
    let (file, key) = try format.seal(.pseudorandom(100))
    for tail in [filled(0, count), .pseudorandom(count), Array(file.suffix(count))] {
      #expect(throws: MediaDecryptionError<Never>.decrypting(.failed)) { try key.open(file + tail) }
    }
  }

  @Test(arguments: MediaCase.allCases)
  func missingAndDoubledOctets(_ format: MediaCase) throws {
    let (file, key) = try format.seal(.pseudorandom(80))
    for index in file.indices {
      var missing = file
      missing.remove(at: index)
      #expect(throws: (any Error).self) { try key.open(missing) }
      var doubled = file
      doubled.insert(file[index] ^ 0x55, at: index)
      #expect(throws: (any Error).self) { try key.open(doubled) }
    }
  }

  /// The right header with a wrong key, and the right key with arbitrary bytes.
  @Test(arguments: MediaCase.allCases)
  func noise(_ format: MediaCase) throws {
    let (file, key) = try format.seal(.pseudorandom(40))
    for size in 0..<file.count {
      let noise = [UInt8].pseudorandom(file.count - size, seed: UInt64(size) + 99)
      #expect(throws: (any Error).self) { try key.open(Array(file.prefix(size)) + noise, pieces: [7]) }
    }
  }

  @Test(arguments: MediaCase.allCases)
  func otherFormatsFail(_ format: MediaCase) throws {
    let (file, _) = try format.seal(.pseudorandom(300))
    for other in MediaCase.allCases where other.family != format.family {
      let (_, key) = try other.seal(.pseudorandom(300))
      #expect(throws: (any Error).self) { try key.open(file) }
    }
  }

  @Test(arguments: MediaCase.allCases)
  func nothingAtAll(_ format: MediaCase) throws {
    let (_, key) = try format.seal([1])
    #expect(throws: MediaDecryptionError<Never>.decrypting(.failed)) { try key.open([]) }
  }
}

/// A byte, repeated `count` times.
func filled(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

extension MediaCase {
  /// The same for all cases of one format.
  var family: String { String(rawValue.prefix(4)) }
}
