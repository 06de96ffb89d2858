/// Images that cannot be recognized by a signature at the start.
enum BitmapRule {
  /// The largest bitmap to wait for, in bytes.
  private static let limit = 65_536

  /// A WAP bitmap of type 0: two zeros, the width, the height, one bit per pixel, and nothing else
  /// (WAP Forum, WAP-237 "Wireless Application Environment Defined Media Type", 4.5.1).
  static func isWBMP(_ body: inout Body) throws(Shortage) -> Bool {
    guard try body.has([0, 0], at: 0) else { return false }
    var offset = 2
    var sides: [Int] = []
    while sides.count < 2 {
      // Seven bits per byte. The high bit is clear in the last byte.
      var (side, isLast, count) = (0, false, 0)
      while !isLast {
        guard count < 3, let byte = try body.byte(at: offset) else { return false }
        side = side << 7 | Int(byte & 0x7f)
        isLast = byte < 0x80
        (offset, count) = (offset + 1, count + 1)
      }
      sides.append(side)
    }
    let size = (sides[0] + 7) / 8 * sides[1]
    guard 1...limit ~= size, try body.byte(at: offset + size - 1) != nil else { return false }
    return try body.byte(at: offset + size) == nil
  }

  /// Names an image that starts after a few other bytes, such as a script's line break. No decoder
  /// skips them.
  static func nameOfStray(_ start: [UInt8]) -> String? {
    for (offset, byte) in start.enumerated() where offset > 0 && firstBytes.contains(byte) {
      for (bytes, name) in images where start[offset...].starts(with: bytes) {
        // The markers that follow SOI in files (ITU-T T.81, table B.1).
        if bytes.count == 3 {
          guard let marker = start[offset...].dropFirst(3).first, 0xc0...0xfe ~= marker else { continue }
        }
        return "\(name) behind \(offset) other byte\(offset == 1 ? "" : "s")"
      }
    }
    return nil
  }

  private static let firstBytes: [UInt8] = [0xff, 0x89, UInt8(ascii: "G")]
  private static let images: [([UInt8], String)] = [
    ([0xff, 0xd8, 0xff], "JPEG image"), ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "PNG image"),
    (Array("GIF89a".utf8), "GIF image"), (Array("GIF87a".utf8), "GIF image"),
  ]
}
