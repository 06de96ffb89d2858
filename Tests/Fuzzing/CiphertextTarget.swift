@testable import Decrypting

/// Ciphertext of every format of content and media, in pieces whose size is part of the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Input(start, count)
  guard let first = input.bytes.first else { return 0 }
  let body = Array(input.bytes.dropFirst())
  guard let ring = try? Keys.ring() else { return 0 }
  switch first % 8 {
  case 0: _ = try? ring.open(aes128gcm: body, keyID: nil)
  case 1: _ = try? ring.open(aes128gcm: body, keyID: "web")
  case 2:
    if let message = try? LegacyWebPushMessage(m: input.text, k: input.text, s: input.text) {
      _ = try? ring.open(message, keyID: "old")
    }
    let (salt, sender) = (Array(body.prefix(16)), Array(body.dropFirst(16).prefix(65)))
    if let message = try? LegacyWebPushMessage(body: Array(body.dropFirst(81)), salt: salt, sender: sender) {
      _ = try? ring.open(message, keyID: "old")
    }
  case 3: Keys.decrypt(body, ring.makeDecryptor())
  default:
    for key in (try? Keys.files()) ?? [] {
      if let decryptor = try? key.makeDecryptor() { Keys.decrypt(body, decryptor) }
    }
  }
  return 0
}

/// The keys of the seeds, so that the fuzzer gets past the first check.
private enum Keys {
  static func ring() throws -> KeyRing {
    let scalar = try P256PrivateKey(scalar: secret(32))
    return KeyRing([
      "k": .records(try RecordsKey(secret(16), keyID: Array("k".utf8))),
      "web": .webPush(try WebPushKey(scalar, authentication: secret(16))),
      "old": .legacyWebPush(try WebPushKey(scalar, authentication: secret(16))),
    ])
  }

  static func files() throws -> [FileKey] {
    let digest = [UInt8](repeating: 1, count: 32)
    return [
      .records(try RecordsKey(secret(16))),
      .stream(try StreamKey(.matrix, secret(32), iv: [UInt8](repeating: 0, count: 16), digest: digest)),
      .stream(try StreamKey(.xmpp, secret(32), iv: [UInt8](repeating: 1, count: 12))),
      .stream(try StreamKey(.signal, secret(64), digest: digest, size: 100)),
    ]
  }

  static func decrypt(_ body: [UInt8], _ decryptor: consuming MediaDecryptor) {
    let size = body.first.map { Int($0) + 1 } ?? 1
    var count = 0
    var start = 0
    do {
      while start < body.count {
        let end = min(body.count, start + size)
        try decryptor.update(body[start..<end].span) { (piece: Span<UInt8>) throws(Never) in
          count += piece.count
        }
        start = end
      }
      try decryptor.finish { (piece: Span<UInt8>) throws(Never) in count += piece.count }
    } catch {}
    Input.require(count <= body.count, "the plaintext is longer than the ciphertext")
  }

  private static func secret(_ count: Int) throws -> Secret {
    let bytes = [UInt8](repeating: 7, count: count)
    return try Secret(bytes.span)
  }
}
