/// MP3 without a container: a chain of frames. A single header proves little, because its eleven sync bits can
/// occur by chance.
enum MPEGAudioRule {
  /// Examines sound that starts at `offset`. Accepts Layer III (MP3). Names other layers, AAC and
  /// FLAC without its header. A single frame suffices if it is all there is.
  static func examine(_ body: inout Body, at offset: Int = 0) throws(Shortage) -> Examination? {
    guard try body.byte(at: offset) == 0xff else { return nil }
    if let frame = try chain(of: 2, orWhole: 1, at: offset, in: &body) {
      switch frame.layer {
      case .three:
        body.facts.milliseconds = try milliseconds(frame, at: offset, in: &body)
        return .accepted(.mp3)
      case .two: return .rejected(name: "MP2 audio (MPEG Layer II)")
      case .one: return .rejected(name: "MP1 audio (MPEG Layer I)")
      }
    }
    return try OtherAudioFrame.name(at: offset, in: &body).map { .rejected(name: $0) }
  }

  /// Returns where a chain of `frames` frames of Layer III starts within `limit` bytes from `start`,
  /// or a whole sound of two frames. Waits for all bytes that can matter, so that it searches once.
  static func find(
    from start: Int, within limit: Int, frames: Int, in body: inout Body
  ) throws(Shortage) -> Int? {
    try body.preload(limit + frames * MPEGAudioFrame.maximumLengthOfLayerThree, at: start)
    for offset in start..<start + limit {
      guard let byte = try body.byte(at: offset) else { return nil }
      guard byte == 0xff, let frame = try frame(at: offset, in: &body), frame.layer == .three else {
        continue
      }
      if try chain(of: frames, orWhole: 2, at: offset, in: &body) != nil {
        body.facts.milliseconds = try milliseconds(frame, at: offset, in: &body)
        return offset
      }
    }
    return nil
  }

  /// Whether the frame of Layer III at `offset` uses no bits from earlier frames, like the first frame of a sound
  /// (ISO/IEC 11172-3 2.4.1.7, main_data_begin; 13818-3: one bit fewer). A checksum may precede them.
  static func isBeginning(at offset: Int, in body: inout Body) throws(Shortage) -> Bool {
    guard let header = try body.number(at: offset),
      let bits = try body.short(at: offset + (header >> 16 & 1 == 1 ? 4 : 6))
    else { return false }
    return bits >> (header >> 19 & 1 == 1 ? 7 : 8) == 0
  }

  private static func frame(at offset: Int, in body: inout Body) throws(Shortage) -> MPEGAudioFrame? {
    try body.number(at: offset).flatMap { MPEGAudioFrame(header: $0) }
  }

  /// Returns the first frame of a chain of `count`. At least `fewest` suffice if the sound ends
  /// after them, and one suffices if it has its encoder's own header.
  private static func chain(
    of count: Int, orWhole fewest: Int, at start: Int, in body: inout Body
  ) throws(Shortage) -> MPEGAudioFrame? {
    guard let first = try frame(at: start, in: &body) else { return nil }
    var offset = start
    for length in 0..<count {
      guard let next = try frame(at: offset, in: &body), next.isCompatible(with: first) else {
        if length >= fewest, try isEnd(offset, of: &body) { return first }
        return try hasInfo(first, at: start, in: &body) ? first : nil
      }
      offset += next.length
    }
    return first
  }

  /// Whether a complete sound ends here: at the end of the body, or at tags (id3.org, "ID3v1"
  /// and "Lyrics3"; Hydrogenaudio, "APEv2 specification").
  private static func isEnd(_ offset: Int, of body: inout Body) throws(Shortage) -> Bool {
    if try body.byte(at: offset) == nil { return try body.byte(at: offset - 1) != nil }
    for tag in ["TAG", "APETAGEX", "LYRICSBEGIN"] where try body.has(tag.utf8, at: offset) { return true }
    return false
  }

  /// Whether a complete frame of Layer III has the header that encoders write into the first frame.
  private static func hasInfo(
    _ frame: MPEGAudioFrame, at start: Int, in body: inout Body
  ) throws(Shortage) -> Bool {
    guard frame.layer == .three, frame.length > 40, try info(in: frame, at: start, of: &body) != nil else {
      return false
    }
    return try body.byte(at: start + frame.length - 1) != nil
  }

  /// Returns the place of the encoder's own header in the first frame: a table for seeking (Xing, LAME),
  /// or Fraunhofer's (VBRI), which is always at offset 36.
  private static func info(
    in frame: MPEGAudioFrame, at start: Int, of body: inout Body
  ) throws(Shortage) -> Int? {
    for (mark, place) in [("Xing", frame.infoOffset), ("Info", frame.infoOffset), ("VBRI", 36)]
    where try body.has(mark.utf8, at: start + place) {
      return start + place
    }
    return nil
  }

  /// The duration, from the number of frames that the encoder counted (Gabriel Bouvigne, "MP3
  /// Info Tag"; Fraunhofer IIS, "VBRI header"). Asks for no more bytes.
  private static func milliseconds(
    _ frame: MPEGAudioFrame, at start: Int, in body: inout Body
  ) throws(Shortage) -> Int? {
    guard start + 64 <= body.available, var place = try info(in: frame, at: start, of: &body) else {
      return nil
    }
    if try body.byte(at: place) == UInt8(ascii: "V") {
      place += 14
    } else {
      // The last bit of the flags says whether the number is there.
      guard try body.byte(at: place + 7).map({ $0 & 1 == 1 }) == true else { return nil }
      place += 8
    }
    guard let count = try body.number(at: place), count > 0 else { return nil }
    return Int(count) * frame.samples * 1_000 / frame.sampleRate
  }
}
