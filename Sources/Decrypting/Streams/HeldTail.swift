/// The last octets of a stream so far: they may be its tag, and are ciphertext as soon as enough others
/// follow.
struct HeldTail {
  /// What has turned out to be no part of the tail, in order: first octets that were held, then the first of
  /// the new piece.
  struct Released {
    var held: [UInt8]
    var fresh: Int
  }

  /// Octets that are held.
  let count: Int
  private(set) var bytes: [UInt8] = []

  init(count: Int) { self.count = count }

  /// Whether the stream has as many octets as a tail.
  var isComplete: Bool { bytes.count == count }

  mutating func advance(over piece: Span<UInt8>) -> Released {
    let surplus = max(0, bytes.count + piece.count - count)
    let held = min(surplus, bytes.count)
    let released = Released(held: held == 0 ? [] : Array(bytes.prefix(held)), fresh: surplus - held)
    bytes.removeFirst(held)
    for index in released.fresh..<piece.count { bytes.append(piece[index]) }
    return released
  }

  /// Begins another stream.
  mutating func clear() { bytes.removeAll(keepingCapacity: true) }
}
