/// The last bytes of a stream so far, at most `count`. They are its tag unless more bytes follow.
struct HeldTail {
  let count: Int
  private(set) var bytes: [UInt8] = []

  var isComplete: Bool { bytes.count == count }

  /// Returns the held bytes that leave the tail, and how many bytes of `piece` never enter it.
  mutating func advance(over piece: Span<UInt8>) -> (held: [UInt8], fresh: Int) {
    let surplus = max(0, bytes.count + piece.count - count)
    let held = Array(bytes.prefix(surplus))
    bytes.removeFirst(held.count)
    bytes.append(contentsOf: piece.extracting(droppingFirst: surplus - held.count))
    return (held, surplus - held.count)
  }

  mutating func clear() { bytes.removeAll(keepingCapacity: true) }
}
