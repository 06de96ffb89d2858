internal import COpenSSL

/// AES in a mode. A further one is a row here, and a row of `KnownAnswer`.
@safe struct Cipher: Sendable, CustomStringConvertible, CustomReflectable {
  static let aes128GCM = Cipher("aes128GCM", "AES-128-GCM", keyCount: 16, ivCounts: [12], hasTag: true)
  /// 16 octets of initialisation vector are those of the first `aesgcm://` clients.
  static let aes256GCM = Cipher("aes256GCM", "AES-256-GCM", keyCount: 32, ivCounts: [12, 16], hasTag: true)
  static let aes256CTR = Cipher("aes256CTR", "AES-256-CTR", keyCount: 32, ivCounts: [16])
  /// CBC pads with PKCS #7.
  static let aes128CBC = Cipher("aes128CBC", "AES-128-CBC", keyCount: 16, ivCounts: [16])
  static let aes256CBC = Cipher("aes256CBC", "AES-256-CBC", keyCount: 32, ivCounts: [16])
  static let all = [aes128GCM, aes256GCM, aes256CTR, aes128CBC, aes256CBC]

  /// Octets of the tag of GCM. Never read from anywhere: OpenSSL takes a tag of one octet for a good one.
  static let tagCount = 16
  /// Octets of a block of AES: a call may write that much more than it reads.
  static let blockCount = 16

  let description: String
  /// Octets.
  let keyCount: Int
  /// Octets that an initialisation vector may have, the usual number first.
  let ivCounts: [Int]
  let hasTag: Bool
  /// Looked up once: a look-up by every record would cost more than the record (0.2 µs). OpenSSL never changes
  /// it, and lets all threads use it at once (openssl-threads(7)). Nil if a provider was configured away.
  nonisolated(unsafe) let algorithm: OpaquePointer?

  /// A key that is dumped shows no address.
  var customMirror: Mirror { Mirror(self, children: []) }

  private init(
    _ description: String, _ name: String, keyCount: Int, ivCounts: [Int], hasTag: Bool = false
  ) {
    self.description = description
    self.keyCount = keyCount
    self.ivCounts = ivCounts
    self.hasTag = hasTag
    unsafe algorithm = EVP_CIPHER_fetch(nil, name, nil)
  }
}
