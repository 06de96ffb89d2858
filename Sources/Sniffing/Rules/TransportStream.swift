/// MPEG transport streams: packets of 188 bytes that start with 0x47 (ISO/IEC 13818-1, 2.4.3.2), on
/// Blu-ray behind a time stamp of four bytes, in broadcasts before 16 or 20 bytes that correct errors
/// (DVB, ATSC). libmagic wants the program table first, and misses half of these files.
enum TransportStream {
  private static let sync: UInt8 = 0x47

  static func isFound(in body: inout Body) throws(Shortage) -> Bool {
    for (start, packet) in [(0, 188), (4, 192), (0, 204), (0, 208)]
    where try body.byte(at: start) == sync {
      let next = (try body.byte(at: start + packet), try body.byte(at: start + 2 * packet))
      if next == (sync, sync) { return true }
      // Two packets may be all.
      if next == (sync, nil), try body.byte(at: start + 2 * packet - 1) != nil { return true }
    }
    return false
  }

  /// Whether the recording of one starts in mid-packet. More packets than above have to follow, because
  /// there are many places where the first could start.
  static func isCut(_ head: [UInt8]) -> Bool {
    for packet in [188, 192, 204, 208] {
      for start in 1..<packet where head.count > start + 5 * packet && head[start] == sync {
        if (1...5).allSatisfy({ head[start + $0 * packet] == sync }) { return true }
      }
    }
    return false
  }
}
