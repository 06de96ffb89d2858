internal import COpenSSL

/// AES in one of its modes. To add one, add a row here and one to `KnownAnswer`.
@safe struct Cipher: Sendable, CustomStringConvertible, CustomReflectable {
  static let aes128GCM = Cipher("aes128GCM", "AES-128-GCM", keyCount: 16, ivCounts: [12], hasTag: true)
  static let aes192GCM = Cipher("aes192GCM", "AES-192-GCM", keyCount: 24, ivCounts: [12], hasTag: true)
  /// The first `aesgcm://` clients used an initialization vector of 16 bytes.
  static let aes256GCM = Cipher("aes256GCM", "AES-256-GCM", keyCount: 32, ivCounts: [12, 16], hasTag: true)
  static let aes256CTR = Cipher("aes256CTR", "AES-256-CTR", keyCount: 32, ivCounts: [16])
  /// CBC pads with PKCS #7.
  static let aes128CBC = Cipher("aes128CBC", "AES-128-CBC", keyCount: 16, ivCounts: [16])
  static let aes256CBC = Cipher("aes256CBC", "AES-256-CBC", keyCount: 32, ivCounts: [16])
  static let all = [aes128GCM, aes192GCM, aes256GCM, aes256CTR, aes128CBC, aes256CBC]

  /// The length of a GCM tag. Never taken from input, because OpenSSL would accept a one-byte tag.
  static let tagCount = 16
  /// The length of an AES block. A call may write that many bytes more than it reads.
  static let blockCount = 16

  let description: String
  let keyCount: Int
  /// The lengths that an initialization vector may have, the usual one first.
  let ivCounts: [Int]
  let hasTag: Bool
  /// Looked up once, which takes longer than a record (0.2 µs). Nil if the configuration removes its
  /// provider. `nonisolated(unsafe)`, because OpenSSL lets all threads use it (openssl-threads(7)).
  nonisolated(unsafe) let algorithm: OpaquePointer?

  /// Keeps the address out of dumps of a key.
  var customMirror: Mirror { Mirror(self, children: []) }

  private init(_ description: String, _ name: String, keyCount: Int, ivCounts: [Int], hasTag: Bool = false) {
    self.description = description
    self.keyCount = keyCount
    self.ivCounts = ivCounts
    self.hasTag = hasTag
    unsafe algorithm = EVP_CIPHER_fetch(nil, name, nil)
  }
}
