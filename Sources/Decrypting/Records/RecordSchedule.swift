/// The key of one message and the nonces of its records.
struct RecordSchedule: Sendable {
  let key: Secret
  private let base: [UInt8]
  /// The nonce of the current record.
  private(set) var nonce: [UInt8]
  private var sequence: UInt64 = 0

  /// Derives the keys of one message (RFC 8188 sections 2.2 and 2.3).
  /// - Parameter context: follows the name of each key in its derivation.
  init(_ secret: Secret, salt: Span<UInt8>, coding: String, context: [UInt8] = []) throws(DecryptingError) {
    let info = { (purpose: String) in Array("Content-Encoding: \(purpose)\0".utf8) + context }
    let keyCount = Cipher.aes128GCM.keyCount
    self.init(
      key: try KeyDerivation.hkdf(secret, salt: salt, info: info(coding), count: keyCount),
      nonce: try KeyDerivation.hkdf(secret, salt: salt, info: info("nonce"), count: 12))
  }

  init(key: Secret, nonce: Secret) {
    self.key = key
    base = nonce.withSpan { nonce in nonce.indices.map { nonce[$0] } }
    self.nonce = base
  }

  /// Advances to the next record. Its nonce is the first one XOR its number (RFC 8188 section 2.3).
  mutating func advance() throws(DecryptingError) {
    guard sequence < .max else { throw .failed }
    sequence += 1
    for place in 0..<8 {
      let index = base.count - 1 - place
      nonce[index] = base[index] ^ UInt8(truncatingIfNeeded: sequence >> (8 * UInt64(place)))
    }
  }
}
