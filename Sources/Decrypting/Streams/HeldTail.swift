/// The last octets of a stream so far: they may be its tag, and are ciphertext as soon as enough others
/// follow.
struct HeldTail {
  /// Octets that are held.
  let count: Int
  private(set) var bytes: [UInt8] = []

  init(count: Int) { self.count = count }

  /// Whether the stream has as many octets as a tail.
  var isComplete: Bool { bytes.count == count }

  /// - Returns: what has turned out to be no part of the tail, in order: first octets that were held, then the
  ///   number of the first ones of `piece`.
  mutating func advance(over piece: Span<UInt8>) -> (held: [UInt8], fresh: Int) {
    let surplus = max(0, bytes.count + piece.count - count)
    let held = Array(bytes.prefix(surplus))
    bytes.removeFirst(held.count)
    bytes.append(contentsOf: piece.extracting(droppingFirst: surplus - held.count))
    return (held, surplus - held.count)
  }

  /// Begins another stream.
  mutating func clear() { bytes.removeAll(keepingCapacity: true) }
}
