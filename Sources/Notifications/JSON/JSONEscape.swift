/// The escapes of RFC 8259 section 7.
package enum JSONEscape {
  /// The text between the quotes of a valid string, as UTF-8. A lone surrogate becomes U+FFFD.
  package static func decode(_ escaped: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(escaped.count)
    var rest = escaped
    while !rest.isEmpty { decodeNext(of: &rest, into: &decoded) }
    return decoded
  }

  /// The index in `escaped` that each byte of the decoded text comes from, then the end index.
  static func origins(in escaped: ArraySlice<UInt8>) -> [UInt32] {
    var origins: [UInt32] = []
    origins.reserveCapacity(escaped.count + 1)
    var decoded: [UInt8] = []
    var rest = escaped
    while !rest.isEmpty {
      let origin = UInt32(truncatingIfNeeded: rest.startIndex)
      decodeNext(of: &rest, into: &decoded)
      origins += repeatElement(origin, count: decoded.count)
      decoded.removeAll(keepingCapacity: true)
    }
    return origins + [UInt32(truncatingIfNeeded: rest.startIndex)]
  }

  /// Whether none of `bytes` needs an escape between the quotes of a string.
  static func arePlain(_ bytes: Span<UInt8>) -> Bool {
    // The compiler vectorizes this loop, because it has no early exit and no bounds check.
    var others: UInt8 = 0
    unsafe bytes.withUnsafeBufferPointer { bytes in
      for index in 0..<bytes.count {
        let byte = unsafe bytes[index]
        others |=
          (byte < 0x20 ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
      }
    }
    return others == 0
  }

  /// Escapes only `"`, `\` and control characters, each in its shortest form.
  static func encode(_ text: some Collection<UInt8>) -> [UInt8] {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(text.count)
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): escaped += [UInt8(ascii: "\\"), byte]
      case 0x08: escaped += #"\b"#.utf8
      case 0x09: escaped += #"\t"#.utf8
      case 0x0A: escaped += #"\n"#.utf8
      case 0x0C: escaped += #"\f"#.utf8
      case 0x0D: escaped += #"\r"#.utf8
      case ..<0x20: escaped += ((byte < 0x10 ? #"\u000"# : #"\u00"#) + String(byte, radix: 16)).utf8
      default: escaped.append(byte)
      }
    }
    return escaped
  }

  /// Whether UTF-8 cannot hold the text, because it has half of a pair of surrogates.
  package static func hasLoneSurrogate(_ escaped: ArraySlice<UInt8>) -> Bool {
    guard escaped.contains(UInt8(ascii: "\\")) else { return false }
    var decoded: [UInt8] = []
    var rest = escaped
    while let byte = rest.first {
      decodeNext(of: &rest, into: &decoded)
      if byte == UInt8(ascii: "\\"), decoded.elementsEqual("\u{FFFD}".utf8),
        !escaped[..<rest.startIndex].suffix(4).elementsEqual("FFFD".utf8, by: { $0 & 0xDF == $1 })
      {
        return true
      }
      decoded.removeAll(keepingCapacity: true)
    }
    return false
  }

  /// Decodes one byte or escape. A pair of surrogates counts as one.
  static func decodeNext(of rest: inout ArraySlice<UInt8>, into decoded: inout [UInt8]) {
    guard let byte = rest.popFirst() else { return }
    guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else { return decoded.append(byte) }
    switch escape {
    case UInt8(ascii: "b"): decoded.append(0x08)
    case UInt8(ascii: "f"): decoded.append(0x0C)
    case UInt8(ascii: "n"): decoded.append(0x0A)
    case UInt8(ascii: "r"): decoded.append(0x0D)
    case UInt8(ascii: "t"): decoded.append(0x09)
    case UInt8(ascii: "u"): decoded.append(contentsOf: scalar(&rest).utf8)
    default: decoded.append(escape)
    }
  }

  /// - Parameter rest: starts after the first `\u`.
  private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Character {
    let first = codeUnit(rest)
    rest = rest.dropFirst(4)
    var scalar = Unicode.Scalar(first)
    if (0xD800...0xDBFF).contains(first), rest.starts(with: #"\u"#.utf8) {
      let second = codeUnit(rest.dropFirst(2))
      if (0xDC00...0xDFFF).contains(second) {
        rest = rest.dropFirst(6)
        scalar = Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
      }
    }
    return Character(scalar ?? "\u{FFFD}")
  }

  private static func codeUnit(_ digits: ArraySlice<UInt8>) -> UInt32 {
    digits.prefix(4).reduce(0) { $0 << 4 | UInt32(hexadecimalDigit($1) ?? 0) }
  }

  static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
