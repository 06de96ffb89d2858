internal import Dispatch

/// The HMAC-SHA256 and the SHA-256 of one ciphertext. The two take much longer than decrypting: where memory allows large pieces,
/// other threads compute them behind the transfer.
struct CiphertextHashes: ~Copyable {
  private static let codes = DispatchQueue(label: "push-enricher.codes")
  private static let digests = DispatchQueue(label: "push-enricher.digests")

  private let code: FollowingHash<MessageCode>
  private let digest: FollowingHash<Digest>
  /// Octets that are handed over at once.
  private let pieceBytes: Int
  /// What neither has got yet.
  private var gathered: [UInt8] = []

  /// - Parameter pieceBytes: octets that are worth another thread, where they are more than arrive at once; up to three times as many
  ///   are held then.
  init(key: Secret, pieceBytes: Int) throws(DecryptingError) {
    let follows = pieceBytes > MediaDecryptor.defaultPieceBytes
    let code = try FollowingHash(on: follows ? Self.codes : nil) { () throws(DecryptingError) in
      try MessageCode(key: key)
    }
    let digest = try FollowingHash(on: follows ? Self.digests : nil) { () throws(DecryptingError) in
      try Digest()
    }
    self.code = code
    self.digest = digest
    self.pieceBytes = follows ? pieceBytes : 0
  }

  mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe gathered.append(contentsOf: $0) }
    if gathered.count >= pieceBytes { handOver() }
  }

  /// The code of all that was given to `update`, and the digest of that and `tail`. Called once.
  mutating func finish(tail: [UInt8]) throws(DecryptingError) -> (code: [UInt8], digest: [UInt8]) {
    handOver()
    return (try code.finish(), try digest.finish(tail))
  }

  private mutating func handOver() {
    var piece: [UInt8] = []
    piece.reserveCapacity(pieceBytes)
    swap(&piece, &gathered)
    code.add(piece)
    digest.add(piece)
  }
}
