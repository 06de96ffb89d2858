internal import COpenSSL

/// AES in a mode. To add one, add a row here and a row of `KnownAnswer`.
@safe struct Cipher: Sendable, CustomStringConvertible, CustomReflectable {
  static let aes128GCM = Cipher("aes128GCM", "AES-128-GCM", keyCount: 16, ivCounts: [12], hasTag: true)
  /// The first `aesgcm://` clients used an initialisation vector of 16 bytes.
  static let aes256GCM = Cipher("aes256GCM", "AES-256-GCM", keyCount: 32, ivCounts: [12, 16], hasTag: true)
  static let aes256CTR = Cipher("aes256CTR", "AES-256-CTR", keyCount: 32, ivCounts: [16])
  /// CBC pads with PKCS #7.
  static let aes128CBC = Cipher("aes128CBC", "AES-128-CBC", keyCount: 16, ivCounts: [16])
  static let aes256CBC = Cipher("aes256CBC", "AES-256-CBC", keyCount: 32, ivCounts: [16])
  static let all = [aes128GCM, aes256GCM, aes256CTR, aes128CBC, aes256CBC]

  /// Bytes of a GCM tag. Never taken from input: OpenSSL would accept a tag of one byte.
  static let tagCount = 16
  /// Bytes of an AES block. A call may write that much more than it reads.
  static let blockCount = 16

  let description: String
  let keyCount: Int
  /// Lengths that an initialisation vector may have, the usual one first.
  let ivCounts: [Int]
  let hasTag: Bool
  /// Looked up once: a look-up takes longer than a record (0.2 µs). OpenSSL never changes it and all threads
  /// may use it (openssl-threads(7)). Nil if the configuration removes its provider.
  nonisolated(unsafe) let algorithm: OpaquePointer?

  /// Hides the address when a key is dumped.
  var customMirror: Mirror { Mirror(self, children: []) }

  private init(_ description: String, _ name: String, keyCount: Int, ivCounts: [Int], hasTag: Bool = false) {
    self.description = description
    self.keyCount = keyCount
    self.ivCounts = ivCounts
    self.hasTag = hasTag
    unsafe algorithm = EVP_CIPHER_fetch(nil, name, nil)
  }
}
