extension [UInt8] {
  /// Adds up the weights of all bytes, each 0 or 1. The compiler turns it into a loop that handles 16 bytes at a
  /// time: counting with `count(where:)` took a third of the time of sending a push.
  @inlinable package func sum(of weight: (UInt8) -> UInt8) -> Int {
    unsafe withUnsafeBufferPointer { bytes in
      var (total, start) = (0, 0)
      while start < bytes.count {
        // A sum of 255 fits into a byte.
        let end = Swift.min(start + 255, bytes.count)
        var sum: UInt8 = 0
        for index in start..<end { sum &+= unsafe weight(bytes[index]) }
        total += Int(sum)
        start = end
      }
      return total
    }
  }
}
