internal import Decrypting
internal import Notifications
internal import Supporting

/// How a sealed medium is encrypted, and the form of its entry in encrypted content, which is the
/// only place for its key.
package enum MediaEncryptionFormat: String, CaseIterable, Sendable {
  /// `{"url":…,"enc":{"ce":"aes128gcm",…}}`
  case aes128gcm
  /// `{"file":{"v":"v2",…}}`
  case matrix
  /// `{"url":"aesgcm://…"}`
  case aesgcm
  /// `{"url":…,"enc":{"ce":"signal",…}}`
  case signal

  /// In bytes. Receivers with little memory can hold it, and the tags add next to nothing.
  private static let recordSize = 65_536

  /// Encrypts a file, and writes its entry.
  /// - Parameter known: a key for `aes128gcm` that the entry only names. Nil makes a new key.
  func seal(
    _ media: Span<UInt8>, url: String, with known: (id: String, key: RecordsKey)?
  ) throws(DecryptingError) -> (file: [UInt8], entry: [UInt8]) {
    var writer = JSONWriter()
    switch self {
    case .aes128gcm:
      let secret = try Secret.random(count: 16)
      let key = if let known { known.key } else { try RecordsKey(secret) }
      writer.entry(url: url, coding: "aes128gcm") {
        if let known { $0.member("kid", known.id) } else { $0.member("k", secret.revealed()) }
      }
      return (try RecordsSealer(key, recordSize: Self.recordSize).seal(media), writer.bytes)
    case .matrix:
      let sealed = try StreamFormat.matrix.seal(media)
      writer.entry(url: url, matrix: sealed.key)
      return (sealed.file, writer.bytes)
    case .aesgcm:
      let sealed = try StreamFormat.xmpp.seal(media)
      let hostAndPath = url.split(separator: "://", maxSplits: 1).last ?? ""
      let fragment = BaseEncoding.base16.encode(sealed.key.iv.span) + sealed.key.secret.revealed(in: .base16)
      writer.object { $0.member("url", "aesgcm://\(hostAndPath)#\(fragment)") }
      return (sealed.file, writer.bytes)
    case .signal:
      let sealed = try StreamFormat.signal.seal(media)
      writer.entry(url: url, coding: "signal") {
        $0.member("k", sealed.key.secret.revealed())
        $0.member("digest", BaseEncoding.base64URL.encode(sealed.key.digest.span))
        $0.member("size", media.count)
      }
      return (sealed.file, writer.bytes)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func entry(url: String, coding: String, _ members: (inout JSONWriter) -> Void) {
    object {
      $0.member("url", url)
      $0.name("enc")
      $0.object {
        $0.member("ce", coding)
        members(&$0)
      }
    }
  }

  fileprivate mutating func entry(url: String, matrix key: StreamKey) {
    object {
      $0.name("file")
      $0.object {
        $0.member("v", "v2")
        $0.member("url", url)
        $0.name("key")
        let secret = key.secret.revealed()
        $0.raw(
          #"{"kty":"oct","alg":"A256CTR","ext":true,"key_ops":["encrypt","decrypt"],"k":"\#(secret)"}"#.utf8)
        $0.member("iv", BaseEncoding.base64.encode(key.iv.span))
        $0.name("hashes")
        $0.object { $0.member("sha256", BaseEncoding.base64.encode(key.digest.span)) }
      }
    }
  }
}
