internal import COpenSSL

/// AES in the modes that the formats use.
enum Cipher: CaseIterable, Sendable {
  case aes128GCM, aes256GCM, aes256CTR, aes128CBC, aes256CBC

  /// Octets of the tag of GCM. Never read from anywhere: OpenSSL takes a tag of one octet for a good one.
  static let tagCount = 16
  /// Octets of a block of AES: what a call may write beyond what it reads.
  static let blockCount = 16

  /// Octets.
  var keyCount: Int {
    switch self {
    case .aes128GCM, .aes128CBC: 16
    case .aes256GCM, .aes256CTR, .aes256CBC: 32
    }
  }

  /// Octets that an initialisation vector may have: 12 in GCM, and 16 for the first `aesgcm://` clients.
  var ivCounts: Set<Int> {
    switch self {
    case .aes128GCM: [12]
    case .aes256GCM: [12, 16]
    case .aes256CTR, .aes128CBC, .aes256CBC: [16]
    }
  }

  var hasTag: Bool { self == .aes128GCM || self == .aes256GCM }

  var algorithm: OpaquePointer? {
    switch self {
    case .aes128GCM: unsafe Algorithms.aes128GCM
    case .aes256GCM: unsafe Algorithms.aes256GCM
    case .aes256CTR: unsafe Algorithms.aes256CTR
    case .aes128CBC: unsafe Algorithms.aes128CBC
    case .aes256CBC: unsafe Algorithms.aes256CBC
    }
  }
}
