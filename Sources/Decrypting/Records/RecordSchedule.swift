/// What encrypts the records of one message: one key, and a nonce for each record.
struct RecordSchedule: Sendable {
  static let nonceCount = 12

  let key: Secret
  private let base: [UInt8]
  /// The nonce of the record whose turn it is.
  private(set) var nonce: [UInt8]
  private var sequence: UInt64 = 0

  /// The keys of one message (RFC 8188 sections 2.2 and 2.3).
  /// - Parameters:
  ///   - coding: its name.
  ///   - context: follows the name of what is derived.
  init(
    _ secret: Secret, salt: Span<UInt8>, coding: String, context: [UInt8] = []
  ) throws(DecryptingError) {
    let info = { (purpose: String) in Array("Content-Encoding: \(purpose)\0".utf8) + context }
    self.init(
      key: try KeyDerivation.hkdf(
        secret, salt: salt, info: info(coding), count: Cipher.aes128GCM.keyCount),
      nonce: try KeyDerivation.hkdf(secret, salt: salt, info: info("nonce"), count: Self.nonceCount))
  }

  init(key: Secret, nonce: Secret) {
    self.key = key
    base = nonce.withSpan { nonce in nonce.indices.map { nonce[$0] } }
    self.nonce = base
  }

  /// Goes on to the next record: its number, in the octets of a nonce, exclusive or the first one's (RFC 8188
  /// section 2.3).
  mutating func advance() throws(DecryptingError) {
    let (next, isOverflown) = sequence.addingReportingOverflow(1)
    guard !isOverflown else { throw .failed }
    sequence = next
    for place in 0..<8 {
      let index = base.count - 1 - place
      nonce[index] = base[index] ^ UInt8(truncatingIfNeeded: sequence >> (8 * UInt64(place)))
    }
  }
}
