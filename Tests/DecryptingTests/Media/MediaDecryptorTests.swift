import Testing

@testable import Decrypting

/// What `MediaDecryptor` does for all formats.
@Suite struct MediaDecryptorTests {
  private struct DiskFull: Error, Equatable {}

  @Test(arguments: MediaCase.allCases)
  func aRefusingSinkIsHeard(_ format: MediaCase) throws {
    let (file, key) = try format.seal(.pseudorandom(20_000))
    var decryptor = try key.makeDecryptor()
    var error: MediaDecryptionError<DiskFull>?
    do throws(MediaDecryptionError<DiskFull>) {
      try decryptor.update(file.span) { _ throws(DiskFull) in throw DiskFull() }
    } catch let caught {
      error = caught
    }
    #expect(error == .sink(DiskFull()))
    #expect(throws: MediaDecryptionError<Never>.decrypting(.failed)) {
      try decryptor.update(file.span) { _ in }
    }
  }

  /// A sink can also refuse the bytes that only the end produces, such as Signal's last block.
  @Test func aSinkThatRefusesTheEndIsHeard() throws {
    let (file, key) = try MediaCase.signal.seal(.pseudorandom(10))
    var decryptor = try key.makeDecryptor()
    try decryptor.update(file.span) { _ in }
    var error: MediaDecryptionError<DiskFull>?
    do throws(MediaDecryptionError<DiskFull>) {
      try decryptor.finish { _ throws(DiskFull) in throw DiskFull() }
    } catch let caught {
      error = caught
    }
    #expect(error == .sink(DiskFull()))
  }

  /// Nothing that follows a failure can undo it.
  @Test func aFailureIsFinal() throws {
    let (file, key) = try MediaCase.recordsOf18.seal(.pseudorandom(20))
    var decryptor = try key.makeDecryptor()
    #expect(throws: (any Error).self) { try decryptor.update(file.flipping(bit: 300).span) { _ in } }
    #expect(throws: (any Error).self) { try decryptor.update(file.span) { _ in } }
    var isRefused = false
    do { try decryptor.finish { _ in } } catch { isRefused = true }
    #expect(isRefused)
  }

  @Test func emptyPiecesAreNothing() throws {
    for format in MediaCase.allCases {
      let plaintext = [UInt8].pseudorandom(500)
      let (file, key) = try format.seal(plaintext)
      var decryptor = try key.makeDecryptor()
      var opened: [UInt8] = []
      let nothing: [UInt8] = []
      try decryptor.update(nothing.span) { opened.append(contentsOf: $0) }
      try decryptor.update(file.span) { opened.append(contentsOf: $0) }
      try decryptor.update(nothing.span) { opened.append(contentsOf: $0) }
      try decryptor.finish { opened.append(contentsOf: $0) }
      #expect(opened == plaintext)
    }
  }

  /// A sink gets pieces of a little more than 16 KB at most, however long a run of zeros is, and
  /// never single bytes.
  @Test func piecesForTheSink() throws {
    let plaintext = filled(0, 40_000) + [1] + [UInt8].pseudorandom(3_000)
    for format in [MediaCase.recordsOf18, .recordsOf4GiB, .matrix, .xmpp, .signal] {
      let (file, key) = try format.seal(plaintext)
      var decryptor = try key.makeDecryptor()
      var sizes: [Int] = []
      try decryptor.update(file.span) { sizes.append($0.count) }
      try decryptor.finish { sizes.append($0.count) }
      #expect(sizes.reduce(0, +) == plaintext.count)
      #expect(sizes.allSatisfy { (1...16_500).contains($0) })
      #expect(sizes.count < 8)
    }
  }
}
