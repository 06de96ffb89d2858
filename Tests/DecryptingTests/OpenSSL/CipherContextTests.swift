import Testing

@testable import Decrypting

/// What OpenSSL accepts and this project does not.
@Suite struct CipherContextTests {
  /// OpenSSL compares as many bytes of a tag as it is given, even if that is only one.
  @Test(arguments: [Cipher.aes128GCM, .aes256GCM])
  func shortTags(_ cipher: Cipher) throws {
    let key = try Secret(bytes: .pseudorandom(cipher.keyCount))
    let iv = [UInt8].pseudorandom(12)
    let sealed = try CipherContext.encrypt("text".utf8.span, cipher, key: key, iv: iv)
    let ciphertext = Array(sealed.prefix(4))
    let tag = Array(sealed.dropFirst(4))
    for count in 0...20 {
      let stated = Array((tag + filled(0, 4)).prefix(count))
      let opened = try? CipherContext.decrypt(ciphertext.span, cipher, key: key, iv: iv, tag: stated)
      #expect(opened == (count == 16 ? Array("text".utf8) : nil))
    }
    #expect(throws: DecryptingError.failed, "no tag at all") {
      try CipherContext.decrypt(ciphertext.span, cipher, key: key, iv: iv)
    }
  }

  @Test(arguments: Cipher.all)
  func otherLengthsOfKeysAndVectors(_ cipher: Cipher) throws {
    for keyCount in [0, 15, 16, 17, 24, 31, 32, 33, 64] {
      let key = try Secret(bytes: filled(1, keyCount))
      for ivCount in 0...17 {
        let iv = filled(2, ivCount)
        let sealed = try? CipherContext.encrypt("text".utf8.span, cipher, key: key, iv: iv)
        #expect((sealed != nil) == (keyCount == cipher.keyCount && cipher.ivCounts.contains(ivCount)))
      }
    }
  }

  /// A failure must leave nothing in OpenSSL's error queue, where TLS on this thread would find it.
  @Test func failuresAreNotNotedDown() throws {
    let key = try P256PrivateKey.random()
    let point = [4] + filled(1, 64)
    #expect(throws: DecryptingError.failed) { try key.agreement(with: point.span) }
    let (file, media) = try MediaCase.signal.seal(.pseudorandom(40))
    #expect(throws: (any Error).self) { try media.open(file.flipping(bit: 200)) }
    #expect(!OpenSSL.hasNotes)
  }

  @Test func moreThanThereIsRoomFor() throws {
    let key = try Secret(bytes: filled(1, 16))
    let iv = filled(2, 12)
    var context = try CipherContext(.aes128GCM, .encrypting, key: key, iv: iv.span)
    var output = PlaintextBuffer(capacity: 10)
    let input = filled(3, 1_000)
    var isRefused = false
    do { try context.update(input.span, into: &output) } catch { isRefused = true }
    #expect(isRefused && output.count == 0)
  }
}
