import Supporting
import Testing

@testable import Decrypting

/// Keys as media references spell them.
@Suite struct FileKeyTests {
  private static let good = MatrixText(
    key: "__________________________________________8",
    iv: "//////////8AAAAAAAAAAA", sha256: "YzF08lARDdOCzJpzuSwsjTNlQc4pHxpdHcXiD/wpK6k")

  @Test func matrix() throws {
    let key = try StreamKey(Self.good)
    #expect(
      try FileKey.stream(key).open(.init(hex: "e712594ede5c422726fbd7f8")) == Array("Hello, World".utf8))
    #expect(key.secret.revealed() == Self.good.key)
    #expect(BaseEncoding.base64.encode(key.iv.span) == Self.good.iv)
    #expect(BaseEncoding.base64.encode(key.digest.span) == Self.good.sha256)
  }

  @Test(
    arguments: [
      (\MatrixText.version, "v1"), (\.version, ""), (\.version, "2"), (\.keyType, "RSA"),
      (\.algorithm, "A256GCM"),
      // Nonzero leftover bits, wrong padding, wrong lengths.
      (\.key, "__________________________________________9"), (\.key, "____"), (\.key, ""),
      (\.iv, "//////////8AAAAAAAAAAA="), (\.iv, "//////////8AAAAAAAAAAB"),
      (\.iv, "//////////8"), (\.iv, "////////////////////_w8"),
      (\.sha256, ""),
      (\.sha256, "YzF08lARDdOCzJpzuSwsjTNlQc4pHxpdHcXiD/wpK6l"),
    ] as [(any WritableKeyPath<MatrixText, String> & Sendable, String)])
  func matrixRefuses(_ member: any WritableKeyPath<MatrixText, String> & Sendable, _ value: String) {
    var text = Self.good
    text[keyPath: member] = value
    #expect(throws: DecryptingError.failed) { try StreamKey(text) }
  }

  @Test func xmpp() throws {
    let iv = "8c3d050e9386ec173861778f"
    let secret = "68e9af38a97aaf82faa4063b4d0878a61261534410c8a84331eaac851759f587"
    let key = try StreamKey(fragment: iv.uppercased() + secret)
    #expect(String(hexadecimal: key.iv.span) == iv)
    #expect(key.secret.revealed(in: .base16) == secret)
    #expect(try StreamKey(fragment: "00112233" + iv + secret).iv.count == 16)
    for fragment in [
      "", secret, iv + secret + "0", iv + secret + "00", String((iv + secret).dropLast()),
      "g" + iv.dropFirst() + secret,
      iv + secret.dropLast() + "/", iv + secret.dropLast() + ":", iv + secret.dropLast() + "é",
    ] {
      #expect(throws: DecryptingError.failed, "\(fragment)") { try StreamKey(fragment: fragment) }
    }
  }

  @Test func signal() throws {
    let plaintext = [UInt8].pseudorandom(700)
    let (file, made) = try StreamFormat.signal.seal((plaintext + filled(0, 33)).span)
    let text = (key: made.secret.revealed(), digest: BaseEncoding.base64URL.encode(made.digest.span))
    let key = { size in FileKey.stream(try StreamKey(signal: text.key, digest: text.digest, size: size)) }
    #expect(try key(700).open(file) == plaintext)
    #expect(try key(0).open(file) == [])
    // The whole plaintext with its padding is accepted, but not a larger size.
    #expect(try key(733).open(file) == plaintext + filled(0, 33))
    for size in [734, 50_000, Int.max] { #expect(throws: (any Error).self) { try key(size).open(file) } }
    #expect(throws: DecryptingError.failed) { try StreamKey(signal: text.key, digest: text.digest, size: -1) }
    #expect(throws: DecryptingError.failed) { try StreamKey(signal: "AAAA", digest: text.digest, size: 1) }
    #expect(throws: DecryptingError.failed) { try StreamKey(signal: text.key, digest: "AAAA", size: 1) }
  }

  /// Each of the three checks of an attachment works independently.
  @Test func signalAsksAllOfThem() throws {
    let plaintext = [UInt8].pseudorandom(64)
    let (file, key) = try StreamFormat.signal.seal(plaintext.span)
    // The digest of other bytes, with a valid MAC.
    let otherDigest = try StreamKey(.signal, key.secret, digest: filled(0, 32), size: 64)
    #expect(throws: (any Error).self) { try FileKey.stream(otherDigest).open(file) }
    // The right digest of a file with a wrong MAC.
    let forged = file.dropLast() + [file[file.count - 1] ^ 1]
    let ofForged = try StreamKey(.signal, key.secret, digest: digest(Array(forged)), size: 64)
    #expect(throws: (any Error).self) { try FileKey.stream(ofForged).open(Array(forged)) }
    // A valid MAC and digest with wrong padding: the cipher key differs, the MAC key does not.
    let otherKeys = try Secret(bytes: filled(3, 32) + key.secret.part(32..<64).bytes)
    let misread = try StreamKey(.signal, otherKeys, digest: key.digest, size: 64)
    #expect((try? FileKey.stream(misread).open(file)) != plaintext)
  }

  /// Rows that no sender uses yet, to show that the engine supports any combination.
  @Test(arguments: [
    StreamFormat(cipher: .aes128GCM), StreamFormat(cipher: .aes256GCM, startsWithIV: true, hidesSize: true),
    StreamFormat(cipher: .aes128CBC, endsWithCode: true), StreamFormat(cipher: .aes256CBC, hasDigest: true),
    StreamFormat(cipher: .aes256CTR, counterCount: 4, startsWithIV: true, endsWithCode: true),
  ])
  func furtherRows(_ format: StreamFormat) throws {
    for plaintext in [[UInt8].pseudorandom(1_000), []] {
      let (file, key) = try format.seal(plaintext.span)
      for pieces in [[1], [15], [4_096]] {
        #expect(try FileKey.stream(key).open(file, pieces: pieces) == plaintext)
      }
      for bit in 0..<file.count * 8 where bit % 37 == 0 {
        #expect((try? FileKey.stream(key).open(file.flipping(bit: bit))) == nil, "bit \(bit)")
      }
    }
  }

  private func digest(_ bytes: [UInt8]) throws -> [UInt8] {
    try OpenSSL.check(SHA256.digest(of: bytes.span))
  }
}
