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
      return (file, entry(url: url, coding: "aes128gcm") { $0.member("k", secret.revealedAsBase64URL()) })
    case .matrix:
      let sealed = try MatrixSealer.seal(media)
      return (sealed.file, entry(url: url, key: sealed.key.revealed()))
    case .aesgcm:
      let sealed = try XMPPSealer.seal(media)
      let hostAndPath = url.split(separator: "://", maxSplits: 1).last ?? ""
      var writer = JSONWriter()
      writer.object { $0.member("url", "aesgcm://\(hostAndPath)#\(sealed.key.revealed())") }
      return (sealed.file, writer.bytes)
    case .signal:
      let sealed = try SignalSealer.seal(media)
      let key = sealed.key.revealed()
      return (
        sealed.file,
        entry(url: url, coding: "signal") {
          $0.member("k", key.key)
          $0.member("digest", key.digest)
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

  private static func entry(url: String, key: MatrixKey.Text) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.name("file")
      $0.object {
        $0.member("v", key.version)
        $0.member("url", url)
        $0.name("key")
        $0.object {
          $0.member("kty", key.keyType)
          $0.member("alg", key.algorithm)
          $0.member("ext", true)
          $0.name("key_ops")
          $0.array {
            $0.write("encrypt")
            $0.write("decrypt")
          }
          $0.member("k", key.key)
        }
        $0.member("iv", key.iv)
        $0.name("hashes")
        $0.object { $0.member("sha256", key.sha256) }
      }
    }
    return writer.bytes
  }
}
