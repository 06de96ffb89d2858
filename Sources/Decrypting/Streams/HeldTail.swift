/// The last bytes of a stream so far. They are its tag, unless enough others follow.
struct HeldTail {
  let count: Int
  private(set) var bytes: [UInt8] = []

  var isComplete: Bool { bytes.count == count }

  /// Returns what no longer belongs to the tail: bytes that were held, and the number of bytes of `piece`.
  mutating func advance(over piece: Span<UInt8>) -> (held: [UInt8], fresh: Int) {
    let surplus = max(0, bytes.count + piece.count - count)
    let held = Array(bytes.prefix(surplus))
    bytes.removeFirst(held.count)
    bytes.append(contentsOf: piece.extracting(droppingFirst: surplus - held.count))
    return (held, surplus - held.count)
  }

  mutating func clear() { bytes.removeAll(keepingCapacity: true) }
}
