/// Names of sound and video without a container that libmagic does not know, or confuses.
enum StreamNames {
  static func name(at offset: Int, in body: inout Body) throws(Shortage) -> String? {
    for (bytes, place, name) in rows where try body.has(bytes, at: offset + place) { return name }
    if try body.has([0x0b, 0x77], at: offset), let version = try body.byte(at: offset + 5) {
      // The identifier of the bit stream is at the same place in both (ETSI TS 102 366, E.1.3.1.6).
      return 11...16 ~= version >> 3 ? "E-AC-3 audio" : "AC-3 audio"
    }
    return try isAV1(at: offset, in: &body) ? "AV1 video without a container" : nil
  }

  private static let rows: [(bytes: [UInt8], offset: Int, name: String)] = [
    // ETSI TS 102 114, 5.3: in words of 16 and 14 bits, of both byte orders, and as an extension.
    ([0x7f, 0xfe, 0x80, 0x01], 0, "DTS audio"), ([0xfe, 0x7f, 0x01, 0x80], 0, "DTS audio"),
    ([0x1f, 0xff, 0xe8, 0x00], 0, "DTS audio"), ([0xff, 0x1f, 0x00, 0xe8], 0, "DTS audio"),
    ([0x64, 0x58, 0x20, 0x25], 0, "DTS audio"), (Array("DTSHDHDR".utf8), 0, "DTS-HD audio"),
    ([0xf8, 0x72, 0x6f, 0xba], 4, "TrueHD audio"), ([0xf8, 0x72, 0x6f, 0xbb], 4, "MLP audio"),
    (Array("DKIF".utf8), 0, "IVF video"), (Array("Creative Voice File".utf8), 0, "VOC audio"),
    (Array("BBCD\0".utf8), 0, "Dirac video"), (Array("nut/multimedia container".utf8), 0, "NUT media"),
    (Array("YUV4MPEG2".utf8), 0, "YUV4MPEG2 video"), (Array("tBaK".utf8), 0, "TAK audio"),
    (Array("OFR ".utf8), 0, "OptimFROG audio"), (Array("ajkg".utf8), 0, "Shorten audio"),
    (Array("#!SILK_V3".utf8), 0, "SILK audio"), ([0x02] + Array("#!SILK_V3".utf8), 0, "SILK audio"),
  ]

  /// A temporal delimiter, which is empty, and a sequence header (AV1 Bitstream & Decoding Process
  /// Specification, 5.3 and 7.5). In the format of its annex B, two lengths come first.
  private static func isAV1(at start: Int, in body: inout Body) throws(Shortage) -> Bool {
    if try body.has([0x12, 0x00, 0x0a], at: start) { return true }
    var offset = start
    for _ in 0..<2 {
      guard let length = try skipLEB128(&offset, in: &body), length > 0 else { return false }
    }
    guard try body.has([0x01, 0x10], at: offset) else { return false }
    offset += 2
    guard try skipLEB128(&offset, in: &body) != nil else { return false }
    return try body.byte(at: offset) == 0x08
  }

  /// Returns the number at `offset` unless it has more than four bytes.
  private static func skipLEB128(_ offset: inout Int, in body: inout Body) throws(Shortage) -> Int? {
    var number = 0
    for place in 0..<4 {
      guard let byte = try body.byte(at: offset) else { return nil }
      offset += 1
      number |= Int(byte & 0x7f) << (7 * place)
      if byte < 0x80 { return number }
    }
    return nil
  }
}
