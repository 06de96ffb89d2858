import Supporting
import Testing

@testable import Decrypting

/// Keys as media references spell them.
@Suite struct FileKeyTests {
  private static let good = MatrixKey.Text(
    version: "v2", keyType: "oct", algorithm: "A256CTR", key: "__________________________________________8",
    iv: "//////////8AAAAAAAAAAA", sha256: "YzF08lARDdOCzJpzuSwsjTNlQc4pHxpdHcXiD/wpK6k")

  @Test func matrix() throws {
    let key = try MatrixKey(Self.good)
    #expect(
      try FileKey.matrix(key).open(.init(hex: "e712594ede5c422726fbd7f8")) == Array("Hello, World".utf8))
    #expect(key.revealed() == Self.good)
  }

  @Test(
    arguments: [
      (\MatrixKey.Text.version, "v1"), (\.version, ""), (\.version, "2"), (\.keyType, "RSA"),
      (\.algorithm, "A256GCM"),
      // The other alphabet, padding of a key and half of another, bits left over, lengths.
      (\.key, "//////////////////////////////////////////8"),
      (\.key, "__________________________________________8="),
      (\.key, "__________________________________________9"), (\.key, "____"), (\.key, ""),
      (\.iv, "__________8AAAAAAAAAAA"), (\.iv, "//////////8AAAAAAAAAAA="), (\.iv, "//////////8AAAAAAAAAAB"),
      (\.iv, "//////////8"), (\.iv, "//////////8AAAAAAAAAAQ"), (\.iv, "/////////////////////w"),
      (\.sha256, "YzF08lARDdOCzJpzuSwsjTNlQc4pHxpdHcXiD_wpK6k"), (\.sha256, ""),
      (\.sha256, "YzF08lARDdOCzJpzuSwsjTNlQc4pHxpdHcXiD/wpK6l"),
    ] as [(any WritableKeyPath<MatrixKey.Text, String> & Sendable, String)])
  func matrixRefuses(_ member: any WritableKeyPath<MatrixKey.Text, String> & Sendable, _ value: String) {
    var text = Self.good
    text[keyPath: member] = value
    #expect(throws: DecryptingError.failed) { try MatrixKey(text) }
  }

  @Test func xmpp() throws {
    let iv = "8c3d050e9386ec173861778f"
    let secret = "68e9af38a97aaf82faa4063b4d0878a61261534410c8a84331eaac851759f587"
    let key = try XMPPKey(fragment: iv.uppercased() + secret)
    #expect(key.revealed() == iv + secret)
    #expect(try XMPPKey(fragment: "00112233" + iv + secret).iv.count == 16)
    for fragment in [
      "", secret, iv + secret + "0", iv + secret + "00", String((iv + secret).dropLast()),
      "g" + iv.dropFirst() + secret,
      iv + secret.dropLast() + "/", iv + secret.dropLast() + ":", iv + secret.dropLast() + "é",
    ] {
      #expect(throws: DecryptingError.failed, "\(fragment)") { try XMPPKey(fragment: fragment) }
    }
  }

  @Test func signal() throws {
    let plaintext = [UInt8].pseudorandom(700)
    let (file, made) = try SignalSealer.seal(plaintext.span, padding: 33)
    let text = made.revealed()
    #expect(
      try FileKey.signal(SignalKey(key: text.key, digest: text.digest, size: 700)).open(file) == plaintext)
    #expect(try FileKey.signal(SignalKey(key: text.key, digest: text.digest, size: 0)).open(file) == [])
    // All that is there, its padding too, but not more than that.
    #expect(
      try FileKey.signal(SignalKey(key: text.key, digest: text.digest, size: 733)).open(file)
        == plaintext + filled(0, 33))
    for size in [734, 50_000, Int.max] {
      let key = FileKey.signal(try SignalKey(key: text.key, digest: text.digest, size: size))
      #expect(throws: (any Error).self) { try key.open(file) }
    }
    #expect(throws: DecryptingError.failed) { try SignalKey(key: text.key, digest: text.digest, size: -1) }
    #expect(throws: DecryptingError.failed) { try SignalKey(key: "AAAA", digest: text.digest, size: 1) }
    #expect(throws: DecryptingError.failed) { try SignalKey(key: text.key, digest: "AAAA", size: 1) }
  }

  /// Each of the three things that vouch for an attachment does so alone.
  @Test func signalAsksAllOfThem() throws {
    let plaintext = [UInt8].pseudorandom(64)
    let (file, key) = try SignalSealer.seal(plaintext.span)
    // The digest of other octets, although the code is right.
    let otherDigest = try SignalKey(keys: key.keys, digest: filled(0, 32), size: 64)
    #expect(throws: (any Error).self) { try FileKey.signal(otherDigest).open(file) }
    // The right digest of a file with a wrong code.
    let forged = file.dropLast() + [file[file.count - 1] ^ 1]
    let ofForged = try SignalKey(keys: key.keys, digest: digest(Array(forged)), size: 64)
    #expect(throws: (any Error).self) { try FileKey.signal(ofForged).open(Array(forged)) }
    // Code and digest right, padding wrong: another key for the cipher, the same for the code.
    let otherKeys = try Secret(bytes: filled(3, 32) + key.keys.part(32..<64).bytes)
    let misread = try SignalKey(keys: otherKeys, digest: key.digest, size: 64)
    #expect((try? FileKey.signal(misread).open(file)) != plaintext)
  }

  private func digest(_ bytes: [UInt8]) throws -> [UInt8] {
    var digest = try OpenSSL.check(SHA256())
    digest.update(bytes.span)
    return try OpenSSL.check(digest.finish())
  }
}
