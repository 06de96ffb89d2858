/// Frames that start with set bits as those of MP3 do, and are none.
enum OtherAudioFrame {
  static func name(at offset: Int, in body: inout Body) throws(Shortage) -> String? {
    let successor = try adtsSuccessor(at: offset, in: &body)
    if let successor, try isADTS(at: successor, in: &body) == true { return "AAC audio in ADTS" }
    if try isFLAC(at: offset, in: &body) { return "FLAC audio without its header" }
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
    // It includes the checksum itself, so that nothing is left.
    return checksum == 0
  }
}
