/// MP3 without a container: a chain of frames. A single header is eleven bits that chance can set.
enum MPEGAudioRule {
  /// Examines sound that starts at `offset`. Accepts Layer III (MP3). Names other layers and AAC.
  static func examine(_ body: inout Body, at offset: Int = 0) throws(Shortage) -> Examination? {
    guard try body.byte(at: offset) == 0xff else { return nil }
    if let frame = try chain(of: 2, at: offset, in: &body) {
      switch frame.layer {
      case .three: return .accepted(.mp3)
      case .two: return .rejected(name: "MP2 audio (MPEG Layer II)")
      case .one: return .rejected(name: "MP1 audio (MPEG Layer I)")
      }
    }
    return try isADTS(at: offset, in: &body) ? .rejected(name: "AAC audio in ADTS") : nil
  }

  /// Whether a chain of `frames` frames of Layer III starts within `limit` bytes from `start`.
  /// Waits for all bytes that can matter, so that it searches only once.
  static func isFound(
    from start: Int, within limit: Int, frames: Int, in body: inout Body
  ) throws(Shortage) -> Bool {
    try body.preload(limit + frames * MPEGAudioFrame.maximumLengthOfLayerThree, at: start)
    for offset in start..<start + limit {
      guard let byte = try body.byte(at: offset) else { return false }
      guard byte == 0xff, let frame = try frame(at: offset, in: &body), frame.layer == .three else {
        continue
      }
      if try chain(of: frames, at: offset, in: &body) != nil { return true }
    }
    return false
  }

  private static func frame(at offset: Int, in body: inout Body) throws(Shortage) -> MPEGAudioFrame? {
    try body.number(at: offset).flatMap { MPEGAudioFrame(header: $0) }
  }

  /// Returns the first frame of a chain of `count`.
  private static func chain(
    of count: Int, at start: Int, in body: inout Body
  ) throws(Shortage) -> MPEGAudioFrame? {
    guard let first = try frame(at: start, in: &body) else { return nil }
    var offset = start + first.length
    for _ in 1..<count {
      guard let next = try frame(at: offset, in: &body), next.isCompatible(with: first) else { return nil }
      offset += next.length
    }
    return first
  }

  /// Twelve set bits, layer 00, and a length that leads to the same again (ISO/IEC 13818-7 6.2).
  private static func isADTS(at offset: Int, in body: inout Body) throws(Shortage) -> Bool {
    guard let header = try body.number(at: offset), header & 0xfff6_0000 == 0xfff0_0000,
      let rest = try body.number(at: offset + 3)
    else { return false }
    let length = Int(rest >> 13 & 0x1fff)
    guard length >= 7 else { return false }
    guard let next = try body.number(at: offset + length) else { return true }
    return next & 0xfff6_0000 == 0xfff0_0000
  }
}
