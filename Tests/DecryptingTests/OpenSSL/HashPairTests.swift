import Supporting
import TestSupport
import Testing

@testable import Decrypting

/// Against OpenSSL's own, which the self-test and Wycheproof's vectors hold to the documents.
@Suite struct HashPairTests {
  private static let means: Set<HashPair.Means> = [.best, .inTurn]

  @Test("is what OpenSSL computes, at every length around the blocks", arguments: means)
  func lengths(_ means: HashPair.Means) throws {
    for count in 0...260 {
      let bytes = [UInt8].pseudorandom(count, seed: UInt64(count))
      for tailCount in [0, 1, 32, 55, 56, 63, 64, 65, 200] {
        try check(bytes, tail: .pseudorandom(tailCount, seed: 7), in: [count], means)
      }
    }
  }

  @Test("is the same however the stream is cut", arguments: means)
  func pieces(_ means: HashPair.Means) throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      let bytes = [UInt8].pseudorandom(Int.random(in: 0...5_000, using: &random), seed: random.next())
      var pieces: [Int] = []
      while pieces.reduce(0, +) < bytes.count {
        let most = [3, 64, 65, 1_000].randomElement(using: &random) ?? 64
        pieces.append(Int.random(in: 0...min(most, bytes.count - pieces.reduce(0, +)), using: &random))
      }
      try check(bytes, tail: .pseudorandom(32), in: pieces, means)
    }
  }

  @Test("takes keys of up to a block", arguments: means)
  func keys(_ means: HashPair.Means) throws {
    for count in 0...64 {
      try check(.pseudorandom(100), tail: [], in: [100], key: .pseudorandom(count, seed: 3), means)
    }
    let longKey = try Secret(bytes: .pseudorandom(65))
    #expect(throws: DecryptingError.failed) { _ = try HashPair(key: longKey, by: means) }
  }

  private func check(
    _ bytes: [UInt8], tail: [UInt8], in pieces: [Int], key: [UInt8] = .pseudorandom(32),
    _ means: HashPair.Means
  ) throws {
    let key = try Secret(bytes: key)
    var pair = try HashPair(key: key, by: means)
    var digest = try OpenSSL.check(SHA256())
    var code = try MessageCode(key: key)
    var start = 0
    for piece in pieces {
      pair.update(bytes.span.extracting(start..<start + piece))
      start += piece
    }
    digest.update(bytes.span)
    digest.update(tail.span)
    try code.update(bytes.span)
    let results = try pair.finish(tail: tail)
    #expect(try results.code == code.finish())
    #expect(try results.digest == OpenSSL.check(digest.finish()))
  }
}
