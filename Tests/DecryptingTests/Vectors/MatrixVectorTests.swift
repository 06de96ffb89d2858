import Supporting
import Testing

@testable import Decrypting

/// Attachments of matrix-org/matrix-encrypt-attachment and matrix-rust-sdk.
@Suite struct MatrixVectorTests {
  struct File: Decodable {
    let tests: [Attachment]
    let must_reject: [Attachment]
  }

  struct Attachment: Decodable, Sendable, CustomStringConvertible {
    let v: String
    let ct: String?
    let ct_hex: String?
    let iv: String
    let k: String
    let sha256: String
    let pt: String?

    var description: String { pt ?? "version \(v)" }

    var file: [UInt8] {
      get throws { try ct_hex.map { try [UInt8](hex: $0) } ?? BaseEncoding.base64.decode(ct ?? "") }
    }

    func key(version: String) throws -> StreamKey {
      try StreamKey(
        .init(version: version, keyType: "oct", algorithm: "A256CTR", key: k, iv: iv, sha256: sha256))
    }
  }

  static let vectors = Vectors.read("matrix_attachment_v2.json", as: File.self)

  @Test(arguments: vectors?.tests ?? [])
  func opens(_ attachment: Attachment) throws {
    let key = FileKey.stream(try attachment.key(version: attachment.v))
    let plaintext = Array((attachment.pt ?? "").utf8)
    for pieces in [[1], [15], [16], [17], [4_096]] {
      #expect(try key.open(attachment.file, pieces: pieces) == plaintext)
    }
    let file = try attachment.file
    for bit in 0..<file.count * 8 {
      #expect(throws: (any Error).self) { try key.open(file.flipping(bit: bit)) }
    }
  }

  @Test(
    arguments: [
      ("AAAAAAAAAAAAAAAAAAAAAA==", true), ("AAAAAAAAAAAAAAAAAAAAAA", true),
      ("AAAAAAAAAAAAAAAAAAAAAA=", false),
      ("AAAAAAAAAAAAAAAAAAAAAA===", false), ("AAAAAAAAAAAAAAAAAAAAAB==", false),
      ("AAAAAAAAAAAAAAAAAAAAA===", false),
      ("=AAAAAAAAAAAAAAAAAAAAAA=", false), ("====", false),
    ])
  func padding(iv: String, isTaken: Bool) throws {
    let (key, sha256) = (String(repeating: "A", count: 43), String(repeating: "A", count: 43))
    for hash in [sha256, sha256 + "="] {
      let text = MatrixText(
        version: "v2", keyType: "oct", algorithm: "A256CTR", key: key, iv: iv, sha256: hash)
      if isTaken {
        #expect(try StreamKey(text).iv == [UInt8](repeating: 0, count: 16))
        #expect(try StreamKey(text).digest == [UInt8](repeating: 0, count: 32))
      } else {
        #expect(throws: DecryptingError.failed) { try StreamKey(text) }
      }
    }
  }

  /// Random counters are read as OpenSSL and all others do, up to the block at which they overflow.
  @Test(arguments: [(16, true), (17, true), (32, true), (33, false), (48, false)])
  func counterNearItsEnd(count: Int, isTaken: Bool) throws {
    let iv = [UInt8](repeating: 7, count: 8) + [UInt8](repeating: 0xff, count: 7) + [0xfe]
    let plaintext = [UInt8].pseudorandom(count)
    let sealed = try StreamFormat.matrix.seal(plaintext.span, iv: iv)
    for pieces in [[1], [16], [4_096]] {
      if isTaken {
        #expect(try FileKey.stream(sealed.key).open(sealed.file, pieces: pieces) == plaintext)
      } else {
        #expect(throws: (any Error).self) { try FileKey.stream(sealed.key).open(sealed.file, pieces: pieces) }
      }
    }
  }

  /// Version 1, as it is and with version 2 claimed: its counter overflows.
  @Test(arguments: vectors?.must_reject ?? [])
  func refuses(_ attachment: Attachment) {
    #expect(throws: DecryptingError.failed) { try attachment.key(version: attachment.v) }
    #expect(throws: (any Error).self) {
      try FileKey.stream(attachment.key(version: "v2")).open(attachment.file)
    }
  }
}
