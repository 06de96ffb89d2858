/// Frames that start with the same set bits as MP3, but that iOS does not accept.
enum OtherAudioFrame {
  static func name(at offset: Int, in body: inout Body) throws(Shortage) -> String? {
    let successor = try adtsSuccessor(at: offset, in: &body)
    if let successor, try isADTS(at: successor, in: &body) == true { return "AAC audio in ADTS" }
    if try isFLAC(at: offset, in: &body) { return "FLAC audio without its header" }
    if try isFree(at: offset, in: &body) { return "MP3 audio of a free bit rate" }
    // The body may end within the first frame.
    if let successor, try isADTS(at: successor, in: &body) == nil { return "AAC audio in ADTS" }
    return nil
  }

  /// Where the next frame of AAC starts if one starts here (ISO/IEC 13818-7 6.2).
  private static func adtsSuccessor(at offset: Int, in body: inout Body) throws(Shortage) -> Int? {
    guard try isADTS(at: offset, in: &body) == true, let rest = try body.number(at: offset + 3) else {
      return nil
    }
    let length = Int(rest >> 13 & 0x1fff)
    return length >= 7 ? offset + length : nil
  }

  /// Twelve set bits and layer 00. Nil if the body ends before that.
  private static func isADTS(at offset: Int, in body: inout Body) throws(Shortage) -> Bool? {
    try body.number(at: offset).map { $0 & 0xfff6_0000 == 0xfff0_0000 }
  }

  /// Whether this is Layer III of a "free" bit rate: the headers do not state it, nor where the next frame is. The
  /// standard allows it (ISO/IEC 11172-3, 2.4.2.3), but few players support it (LAME's manual lists them).
  private static func isFree(at offset: Int, in body: inout Body) throws(Shortage) -> Bool {
    guard let first = try body.number(at: offset), first & 0xffe6_f000 == 0xffe2_0000,
      first >> 19 & 3 != 1, first >> 10 & 3 < 3, first & 3 != 2
    else { return false }
    // Ignores the padding bit, and the last byte with the channel mode. Two frames of the same length have to follow.
    let mask: UInt32 = 0xffff_fd00
    for length in 24...MPEGAudioFrame.maximumLengthOfLayerThree * 2 {
      guard let next = try body.number(at: offset + length) else { return false }
      guard next & mask == first & mask else { continue }
      for padding in -1...1 {
        if try body.number(at: offset + 2 * length + padding).map({ $0 & mask }) == first & mask {
          return true
        }
      }
    }
    return false
  }

  /// A header of a FLAC frame (RFC 9639, 9.1), which a checksum confirms.
  private static func isFLAC(at offset: Int, in body: inout Body) throws(Shortage) -> Bool {
    guard let header = try body.number(at: offset), header & 0xfffe_0001 == 0xfff8_0000,
      let number = try body.byte(at: offset + 4)
    else { return false }
    // The number of the frame is coded like a character of UTF-8.
    let numberLength = max(1, (~number).leadingZeroBitCount)
    let blockSize = header >> 12 & 15
    let sampleRate = header >> 8 & 15
    guard numberLength != 8, blockSize != 0, sampleRate != 15 else { return false }
    var length = 4 + numberLength
    if 6...7 ~= blockSize { length += Int(blockSize) - 5 }
    if 12...14 ~= sampleRate { length += sampleRate == 12 ? 1 : 2 }
    var checksum: UInt8 = 0
    for place in offset...offset + length {
      guard let byte = try body.byte(at: place) else { return false }
      checksum ^= byte
      // x⁸ + x² + x + 1
      for _ in 0..<8 { checksum = checksum << 1 ^ (checksum & 0x80 == 0 ? 0 : 7) }
    }
    // The loop includes the checksum itself, so the remainder of a valid header is 0.
    return checksum == 0
  }
}
