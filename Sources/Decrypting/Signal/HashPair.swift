internal import CSHA256
internal import Supporting

/// The HMAC-SHA256 (RFC 2104) and the SHA-256 (FIPS 180-4) of one stream, in the time of one of them where
/// the processor has the SHA extensions of x86: HMAC's first block is its key, and from there on the two
/// differ in their chaining values alone.
@safe struct HashPair: ~Copyable {
  enum Means: CaseIterable {
    case interleaved, inTurn

    static let best: Means = sha256_pair_is_interleaved() ? .interleaved : .inTurn
  }

  private static let blockCount = 64
  /// FIPS 180-4 section 5.3.3.
  private static let start: [UInt32] = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
  ]

  private let means: Means
  /// Eight words for the code, which are as good as its key, then eight for the digest.
  private let states: UnsafeMutablePointer<UInt32>
  private let outerKey: Secret
  /// Octets that came so far, of which these make no block yet.
  private var count = 0
  private var rest: [UInt8] = []

  /// - Parameter key: of at most 64 octets.
  /// - Throws: `DecryptingError.failed` for a longer one, and without memory.
  init(key: Secret, by means: Means = .best) throws(DecryptingError) {
    let innerKey = try Self.block(of: key, xor: 0x36)
    let outerKey = try Self.block(of: key, xor: 0x5C)
    guard let memory = unsafe SecretMemory.allocate(Self.blockCount) else { throw .failed }
    self.means = means
    self.outerKey = outerKey
    unsafe states = memory.bindMemory(to: UInt32.self, capacity: 16)
    set(.code, to: Self.start)
    set(.digest, to: Self.start)
    innerKey.withSpan { absorb($0) }
    set(.digest, to: Self.start)
  }

  deinit { unsafe SecretMemory.deallocate(states, Self.blockCount) }

  mutating func update(_ bytes: Span<UInt8>) {
    count += bytes.count
    var fresh = bytes
    if !rest.isEmpty {
      let piece = fresh.extracting(first: min(fresh.count, Self.blockCount - rest.count))
      rest.append(contentsOf: piece)
      guard rest.count == Self.blockCount else { return }
      absorb(rest.span)
      rest.removeAll(keepingCapacity: true)
      fresh = fresh.extracting(droppingFirst: piece.count)
    }
    let whole = fresh.count - fresh.count % Self.blockCount
    absorb(fresh.extracting(first: whole))
    rest.append(contentsOf: fresh.extracting(droppingFirst: whole))
  }

  /// The code of all that was given to `update`, and the digest of that and `tail`. Called once.
  mutating func finish(tail: [UInt8]) throws(DecryptingError) -> (code: [UInt8], digest: [UInt8]) {
    // What ends one of them spoils the other.
    let digestState = words(.digest)
    let codeEnd = Self.padded(rest, after: Self.blockCount + count)
    absorb(codeEnd.span)
    var code = try OpenSSL.check(SHA256())
    outerKey.withSpan { code.update($0) }
    let inner = octets(.code)
    code.update(inner.span)
    set(.digest, to: digestState)
    let digestEnd = Self.padded(rest + tail, after: count + tail.count)
    absorb(digestEnd.span)
    return (try OpenSSL.check(code.finish()), octets(.digest))
  }

  // MARK: - Blocks

  /// - Parameter bytes: whole blocks; what is over is left out.
  private func absorb(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      let count = bytes.count / Self.blockCount
      switch means {
      case .interleaved: unsafe sha256_pair_interleaved(states, bytes.baseAddress, count)
      case .inTurn: unsafe sha256_pair_in_turn(states, bytes.baseAddress, count)
      }
    }
  }

  /// The last blocks of a message (FIPS 180-4 section 5.1.1).
  /// - Parameter count: octets of the whole message, whose last ones are `rest`.
  private static func padded(_ rest: [UInt8], after count: Int) -> [UInt8] {
    let zeros = (2 * blockCount - 9 - rest.count % blockCount) % blockCount
    let bits = UInt64(count) * 8
    return rest + [0x80] + [UInt8](repeating: 0, count: zeros)
      + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
  }

  private static func block(of key: Secret, xor pad: UInt8) throws(DecryptingError) -> Secret {
    guard key.count <= blockCount else { throw .failed }
    return try unsafe Secret(count: blockCount) { (block) throws(DecryptingError) in
      key.withSpan { key in
        for index in 0..<blockCount {
          unsafe block[index] = (index < key.count ? key[index] : 0) ^ pad
        }
      }
    }
  }

  // MARK: - Chaining values

  private enum Lane: Int { case code, digest }

  private func set(_ lane: Lane, to words: [UInt32]) {
    for (index, word) in words.enumerated() { unsafe states[8 * lane.rawValue + index] = word }
  }

  private func words(_ lane: Lane) -> [UInt32] { (0..<8).map { unsafe states[8 * lane.rawValue + $0] } }

  private func octets(_ lane: Lane) -> [UInt8] {
    words(lane).flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
  }
}
