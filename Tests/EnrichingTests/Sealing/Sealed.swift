import Decrypting
import Notifications
import TestSupport

@testable import Enriching

/// Keys and messages for the tests.
enum Sealed {
  /// The keys of Fixtures/encrypted, read without the check of the file's mode.
  static func ring() throws -> KeyRing {
    KeyRing(
      try KeyFile.records(in: Files.read("\(Fixtures.root)/Fixtures/encrypted/keys.json"), of: "keys.json"))
  }

  /// The key `dev-7f3a`, for which `content` is encrypted.
  static func recordsKey() throws -> RecordsKey {
    guard case .records(let key) = try ring().record("dev-7f3a") else { throw DecryptingError.keyUnknown }
    return key
  }

  static let outer = #"{"aps":{"alert":{"title":"New","body":"(Encrypted)"},"mutable-content":1},"n":1.0}"#

  static func content(
    _ content: String, keyID: String = "dev-7f3a", as shape: ContentShape? = nil
  ) throws -> Payload {
    let sealer = Sealer(try ring())
    return try Payload(
      sealer.seal(
        content: Array(content.utf8), keyID: keyID, as: shape, into: Payload(Array(outer.utf8))))
  }

  /// The smallest possible GIF: one pixel.
  static let gif: [UInt8] =
    Array("GIF89a".utf8)
    + [
      1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b,
    ]

  /// An encrypted file, and the request for it as decrypted content would make it.
  static func medium(
    _ bytes: [UInt8], _ format: MediaEncryptionFormat, url: String = "https://media.example/a",
    keyID: String? = nil
  ) throws -> (file: [UInt8], request: MediaRequest) {
    let ring = try ring()
    let sealed = try Sealer(ring).seal(media: bytes, as: format, url: url, keyID: keyID)
    let content = "{\"media\":[\(String(decoding: sealed.entry, as: UTF8.self))]}"
    let opened = try UnsealedContent(of: try Self.content(content), with: ring, mediaKeys: [])
    return (sealed.file, opened.media[0])
  }
}

extension [UInt8] {
  func flipping(bit: Int) -> [UInt8] {
    var copy = self
    copy[bit / 8] ^= 1 << UInt8(bit % 8)
    return copy
  }
}
