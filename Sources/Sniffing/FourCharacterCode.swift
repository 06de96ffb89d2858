/// A type tag of RIFF, IFF and ISO media files: four bytes, read as one big-endian number.
struct FourCharacterCode: Hashable, ExpressibleByStringLiteral {
  let number: UInt32

  init(number: UInt32) { self.number = number }

  /// From ASCII; missing characters count as spaces, which is how the formats pad.
  init(stringLiteral text: String) {
    var number: UInt32 = 0
    for byte in (text + "    ").utf8.prefix(4) { number = number << 8 | UInt32(byte) }
    self.number = number
  }

  /// The code without the padding, fit for a message: what is not printable ASCII becomes a question mark.
  var text: String {
    var text = ""
    for shift in [24, 16, 8, 0] as [UInt32] {
      let byte = UInt8(truncatingIfNeeded: number >> shift)
      text.unicodeScalars.append(Unicode.Scalar(0x20..<0x7f ~= byte ? byte : 0x3f))
    }
    while text.last == " " { text.removeLast() }
    return text
  }
}
