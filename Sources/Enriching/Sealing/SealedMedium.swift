internal import Decrypting
internal import Notifications

/// An encrypted file, and its entry in encrypted content. The entry holds the key, so it must not be anywhere
/// else.
enum SealedMedium {
  /// In bytes: small enough for receivers with little memory, large enough that the tags cost nothing.
  static let recordSize = 65_536

  static func seal(
    _ media: Span<UInt8>, as format: MediaEncryptionFormat, url: String
  ) throws(DecryptingError) -> (file: [UInt8], entry: [UInt8]) {
    switch format {
    case .aes128gcm:
      let secret = try Secret.random(count: 16)
      let file = try RecordsSealer(RecordsKey(secret), recordSize: recordSize).seal(media)
      return (file, entry(url: url, coding: "aes128gcm") { $0.member("k", secret.revealed()) })
    case .matrix:
      let sealed = try StreamFormat.matrix.seal(media)
      return (sealed.file, entry(url: url, matrix: sealed.key))
    case .aesgcm:
      let sealed = try StreamFormat.xmpp.seal(media)
      let hostAndPath = url.split(separator: "://", maxSplits: 1).last ?? ""
      let fragment = BaseEncoding.base16.encode(sealed.key.iv.span) + sealed.key.secret.revealed(in: .base16)
      var writer = JSONWriter()
      writer.object { $0.member("url", "aesgcm://\(hostAndPath)#\(fragment)") }
      return (sealed.file, writer.bytes)
    case .signal:
      let sealed = try StreamFormat.signal.seal(media)
      return (
        sealed.file,
        entry(url: url, coding: "signal") {
          $0.member("k", sealed.key.secret.revealed())
          $0.member("digest", BaseEncoding.base64URL.encode(sealed.key.digest.span))
          $0.member("size", media.count)
        }
      )
    }
  }

  /// The entry of a file whose key the receiver has.
  static func entry(url: String, keyID: String) -> [UInt8] {
    entry(url: url, coding: "aes128gcm") { $0.member("kid", keyID) }
  }

  private static func entry(
    url: String, coding: String, _ members: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.member("url", url)
      $0.name("enc")
      $0.object {
        $0.member("ce", coding)
        members(&$0)
      }
    }
    return writer.bytes
  }

  private static func entry(url: String, matrix key: StreamKey) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.name("file")
      $0.object {
        $0.member("v", "v2")
        $0.member("url", url)
        $0.name("key")
        $0.object {
          $0.member("kty", "oct")
          $0.member("alg", "A256CTR")
          $0.member("ext", true)
          $0.name("key_ops")
          $0.array {
            $0.write("encrypt")
            $0.write("decrypt")
          }
          $0.member("k", key.secret.revealed())
        }
        $0.member("iv", BaseEncoding.base64.encode(key.iv.span))
        $0.name("hashes")
        $0.object { $0.member("sha256", BaseEncoding.base64.encode(key.digest.span)) }
      }
    }
    return writer.bytes
  }
}
