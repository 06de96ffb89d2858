internal import Dispatch
internal import Synchronization

/// The HMAC-SHA256 and the SHA-256 of one ciphertext. They take much longer than decrypting: where memory
/// allows large pieces, another thread computes them behind the transfer.
struct CiphertextHashes: ~Copyable {
  private static let queue = DispatchQueue(label: "push-enricher.codes")

  private let pair: FollowingPair
  /// Octets that are handed over at once.
  private let pieceBytes: Int
  /// What was not handed over yet.
  private var gathered: [UInt8] = []

  /// - Parameter pieceBytes: octets that are worth another thread, where they are more than arrive at once;
  ///   up to three times as many are held then.
  init(key: Secret, pieceBytes: Int) throws(DecryptingError) {
    let follows = pieceBytes > MediaDecryptor.defaultPieceBytes
    pair = try FollowingPair(key: key, on: follows ? Self.queue : nil)
    self.pieceBytes = follows ? pieceBytes : 0
  }

  mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe gathered.append(contentsOf: $0) }
    if gathered.count >= pieceBytes { handOver() }
  }

  /// The code of all that was given to `update`, and the digest of that and `tail`. Called once.
  mutating func finish(tail: [UInt8]) throws(DecryptingError) -> (code: [UInt8], digest: [UInt8]) {
    handOver()
    return try pair.finish(tail: tail)
  }

  private mutating func handOver() {
    var piece: [UInt8] = []
    piece.reserveCapacity(pieceBytes)
    swap(&piece, &gathered)
    pair.add(piece)
  }
}

/// A `HashPair` of pieces of a stream, computed by another thread if there is one for it, and by whoever
/// brings them when that one falls behind.
private final class FollowingPair: Sendable {
  private let queue: DispatchQueue?
  private let waiting = Mutex<[[UInt8]]>([])
  private let pair: Mutex<HashPair>

  init(key: Secret, on queue: DispatchQueue?) throws(DecryptingError) {
    self.queue = queue
    pair = Mutex(try HashPair(key: key))
  }

  func add(_ piece: [UInt8]) {
    let count = waiting.withLock { waiting in
      waiting.append(piece)
      return waiting.count
    }
    guard let queue, count == 1 else { return catchUp() }
    queue.async { self.catchUp() }
  }

  /// Called once, after the last piece.
  func finish(tail: [UInt8]) throws(DecryptingError) -> (code: [UInt8], digest: [UInt8]) {
    catchUp()
    return try pair.withLock { (pair) throws(DecryptingError) in try pair.finish(tail: tail) }
  }

  private func catchUp() {
    pair.withLock { pair in
      while let piece = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { pair.update(piece.span) }
    }
  }
}
