/// Well-formed UTF-8, as the table of RFC 3629 section 4 has it: nothing overlong, no surrogates, nothing
/// above U+10FFFF.
enum UTF8Sequence {
  /// Length in bytes of the sequence of two or more bytes that starts at `offset`; nil if it is none.
  static func length(at offset: Int, in bytes: [UInt8]) -> Int? {
    guard offset < bytes.count else { return nil }
    let (length, second): (Int, ClosedRange<UInt8>)
    switch bytes[offset] {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xE1...0xEC, 0xEE...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard bytes.count - offset >= length, second.contains(bytes[offset + 1]) else { return nil }
    let rest = bytes[(offset + 2)..<(offset + length)]
    return rest.allSatisfy { (0x80...0xBF).contains($0) } ? length : nil
  }
}
