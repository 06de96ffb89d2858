/// The chunks of an AVI or AIFF, up to the movie or the sound. (`WaveRule` reads those of a WAVE,
/// because they name its codec.) Sources: Microsoft, "AVI RIFF File Reference"; Apple, "Audio
/// Interchange File Format: AIFF".
enum ChunkContent {
  /// The main header in the list `hdrl`, and then the list `movi`.
  @Sendable static func readAVI(
    _ reading: inout ContentReading, _ body: inout Body
  ) throws(Shortage) -> String? {
    while let chunk = try next(&reading, &body, isBigEndian: false) {
      if chunk.kind == "LIST" {
        let list = try body.code(at: chunk.content)
        if list == "movi" {
          reading.hasContent = reading.hasHeader
          return nil
        }
        if list == "hdrl", try body.has("avih".utf8, at: chunk.content + 4) {
          guard try readMainHeader(at: chunk.content + 12, &reading.facts, &body) else { return nil }
          reading.hasHeader = true
        }
      }
      reading.offset = chunk.end
    }
    return nil
  }

  private static func readMainHeader(
    at offset: Int, _ facts: inout MediaFacts, _ body: inout Body
  ) throws(Shortage) -> Bool {
    guard let microseconds = try body.littleNumber(at: offset),
      let frames = try body.littleNumber(at: offset + 16), let width = try body.littleNumber(at: offset + 32),
      let height = try body.littleNumber(at: offset + 36)
    else { return false }
    if width > 0, height > 0 { (facts.width, facts.height) = (Int(width), Int(height)) }
    // The product of two numbers of 32 bits can be too large for `Int`.
    let duration = Int(UInt64(microseconds) * UInt64(frames) / 1_000)
    if duration > 0 { facts.milliseconds = duration }
    return true
  }

  /// `COMM`, and the start of `SSND`. The order is free. A file without samples may have no `SSND`, and
  /// one without it is accepted if it ends where it says.
  @Sendable static func readAIFF(
    _ reading: inout ContentReading, _ body: inout Body
  ) throws(Shortage) -> String? {
    while let chunk = try next(&reading, &body, isBigEndian: true) {
      if chunk.kind == "COMM" {
        guard let channels = try body.short(at: chunk.content),
          let frames = try body.number(at: chunk.content + 2),
          let rate = try body.extended(at: chunk.content + 8), channels > 0, 1...10_000_000 ~= rate
        else { return nil }
        reading.hasHeader = true
        reading.hasSound = reading.hasSound || frames == 0
        // A packet of IMA 4:1 has 64 samples, and counts as one.
        let isIMA = if chunk.length >= 22 { try body.has("ima4".utf8, at: chunk.content + 18) } else { false }
        reading.facts.milliseconds = Int(Double(frames) * (isIMA ? 64_000 : 1_000) / rate)
      } else if chunk.kind == "SSND" {
        // After an offset and the size of blocks.
        reading.hasSound = try body.byte(at: chunk.content + 8) != nil
      }
      reading.hasContent = reading.hasHeader && reading.hasSound
      if reading.hasContent { return nil }
      reading.offset = chunk.end
    }
    if let size = try body.number(at: 4), reading.offset == 8 + Int(size),
      try body.byte(at: reading.offset - 1) != nil, try body.byte(at: reading.offset) == nil
    {
      reading.hasContent = reading.hasHeader
    }
    return nil
  }

  private static func next(
    _ reading: inout ContentReading, _ body: inout Body, isBigEndian: Bool
  ) throws(Shortage) -> (kind: String, content: Int, length: Int, end: Int)? {
    // After the form.
    reading.offset = max(reading.offset, 12)
    let offset = reading.offset
    guard reading.takeStep(), let kind = try body.code(at: offset),
      let number = try body.number(at: offset + 4)
    else { return nil }
    let length = Int(isBigEndian ? number : number.byteSwapped)
    return (kind, offset + 8, length, offset + 8 + length + length & 1)
  }
}

extension Body {
  /// Two bytes, most significant first.
  mutating func short(at offset: Int) throws(Shortage) -> Int? {
    guard let high = try byte(at: offset), let low = try byte(at: offset + 1) else { return nil }
    return Int(high) << 8 | Int(low)
  }

  mutating func littleShort(at offset: Int) throws(Shortage) -> Int? {
    guard let low = try byte(at: offset), let high = try byte(at: offset + 1) else { return nil }
    return Int(high) << 8 | Int(low)
  }

  mutating func littleNumber(at offset: Int) throws(Shortage) -> UInt32? {
    try number(at: offset)?.byteSwapped
  }

  /// An extended of IEEE 754 in ten bytes: a sign and 15 bits of exponent, then a 64-bit significand.
  mutating func extended(at offset: Int) throws(Shortage) -> Double? {
    guard let exponent = try short(at: offset), let high = try number(at: offset + 2),
      let low = try number(at: offset + 6), exponent < 0x8000
    else { return nil }
    let significand = Double(UInt64(high) << 32 | UInt64(low))
    return Double(sign: .plus, exponent: exponent - 16_383 - 63, significand: significand)
  }
}
