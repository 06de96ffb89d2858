/// Zeros before sound or video: encoders, cutting tools and tag editors leave them.
enum ZeroRun {
  private static let limit = 768 << 10
  /// A run is sampled at these distances, so that a long one costs few reads.
  private static let leap = 32_768
  /// The size of a sample in bytes. The frames of silent sound have little more than a header that
  /// is not zero, so a sample must not fit between two headers.
  private static let sample = MPEGAudioFrame.maximumLengthOfLayerThree + 4

  /// The first byte from `start` that is not zero. Nil if there is none in the body, or within 768 KB.
  static func end(from start: Int, in body: inout Body) throws(Shortage) -> Int? {
    guard try body.byte(at: start) == 0 else { return start }
    var (from, offset) = (start, start)
    while offset - start < limit {
      do throws(Shortage) {
        try body.preload(sample, at: offset)
      } catch {
        // Four times as much each time: an attempt for every page would sample the run too often.
        throw Shortage(end: max(error.end, start + 4 * (offset - start)))
      }
      guard try isZero(offset..<offset + sample, in: &body) else {
        try body.preload(offset + sample - from, at: from)
        return try firstOther(in: from..<offset + sample, of: &body)
      }
      from = offset + sample
      offset += leap
    }
    return nil
  }

  /// False if the body ends within the range.
  private static func isZero(_ range: Range<Int>, in body: inout Body) throws(Shortage) -> Bool {
    for offset in range { guard try body.byte(at: offset) == 0 else { return false } }
    return true
  }

  private static func firstOther(in range: Range<Int>, of body: inout Body) throws(Shortage) -> Int? {
    for offset in range {
      guard let byte = try body.byte(at: offset) else { return nil }
      if byte != 0 { return offset }
    }
    return nil
  }
}

/// Examines what follows zeros at the start of a body.
enum ZeroRule {
  static func examine(_ body: inout Body) throws(Shortage) -> Examination? {
    guard try body.byte(at: 0) == 0, let start = try ZeroRun.end(from: 0, in: &body) else { return nil }
    if start >= 2, let found = try StartCodeRule.examine(&body, at: start - 2) { return found }
    if let found = try MPEGAudioRule.examine(&body, at: start) { return found }
    if let found = try TagRule.examine(&body, at: start) { return found }
    // The first descriptor of a CD or DVD, or of a UDF disk (ECMA-119, 8.1; ECMA-167, 2/9.1).
    for (mark, offset) in [("CD001", 1), ("BEA01", 0)] where try body.has(mark.utf8, at: start + offset) {
      return .rejected(name: "disk image")
    }
    // `Sniffer` itself searches the first 4 KB later.
    guard start >= Body.headSize else { return nil }
    return try MPEGAudioRule.find(from: start, within: Body.headSize, frames: 4, in: &body)
      .map { _ in .accepted(.mp3) }
  }
}
