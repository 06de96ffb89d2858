/// MPEG transport streams: packets of 188 bytes that start with 0x47 (ISO/IEC 13818-1, 2.4.3.2). On Blu-ray, a
/// time stamp of four bytes precedes each packet. In broadcasts, 16 or 20 bytes of error correction follow it
/// (DVB, ATSC). libmagic wants the program table first, and misses half of these files.
enum TransportStream {
  private static let sync: UInt8 = 0x47

  static func isFound(in body: inout Body) throws(Shortage) -> Bool {
    for (start, packet) in [(0, 188), (4, 192), (0, 204), (0, 208)]
    where try body.byte(at: start) == sync {
      let next = (try body.byte(at: start + packet), try body.byte(at: start + 2 * packet))
      if next == (sync, sync) { return true }
      // The body may have only two packets.
      if next == (sync, nil), try body.byte(at: start + 2 * packet - 1) != nil { return true }
    }
    return false
  }

  /// Whether this is a recording that starts in mid-packet. Requires more packets than `isFound`, because the first
  /// packet could start in many places.
  static func isCut(_ head: [UInt8]) -> Bool {
    for packet in [188, 192, 204, 208] {
      for start in 1..<packet where head.count > start + 5 * packet && head[start] == sync {
        if (1...5).allSatisfy({ head[start + $0 * packet] == sync }) { return true }
      }
    }
    return false
  }
}
