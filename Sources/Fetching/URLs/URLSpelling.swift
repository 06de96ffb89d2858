/// How a text becomes a URL that every server reads, as in browsers and Foundation.
extension String {
  /// The text without white space and invisible characters around it. The WHATWG URL standard (section
  /// 4.4) removes C0 controls and spaces; senders also copy no-break and zero-width spaces along.
  package var withoutBlanksAround: String {
    guard let first = unicodeScalars.firstIndex(where: { !$0.isBlank }),
      let last = unicodeScalars.lastIndex(where: { !$0.isBlank })
    else { return "" }
    let end = unicodeScalars.index(after: last)
    return first == startIndex && end == endIndex ? self : String(unicodeScalars[first..<end])
  }

  /// Percent-encodes the characters after the authority that RFC 3986 does not allow there. Keeps escapes as
  /// they are. Keeps the authority too, because a host cannot have escapes.
  var percentEncodingTarget: String {
    let bytes = utf8Span.span
    let start = bytes.authorityEnd
    guard !bytes.isEncoded(from: start) else { return self }
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count + 16)
    for index in bytes.indices {
      let byte = bytes[index]
      if index < start || bytes.isURLByte(at: index) {
        encoded.append(byte)
      } else {
        encoded.append(escaping: byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}

extension Unicode.Scalar {
  /// Whether it is white space, a control, or invisible: U+200B to U+200F, U+2060, U+FEFF.
  fileprivate var isBlank: Bool {
    value <= 0x20 || properties.isWhitespace || (0x200B...0x200F).contains(value) || value == 0x2060
      || value == 0xFEFF
  }
}

extension [UInt8] {
  /// Percent-encodes with upper-case digits (RFC 3986 section 2.1).
  mutating func append(escaping byte: UInt8) {
    append(UInt8(ascii: "%"))
    for digit in [byte >> 4, byte & 15] {
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
    }
  }
}

extension Span<UInt8> {
  /// The text of a URL in a field value. Bytes that are not UTF-8, such as Latin-1, are percent-encoded.
  var urlText: String {
    let text = text
    if text.utf8.count == count, !text.unicodeScalars.contains("\u{FFFD}") { return text }
    if unsafe withUnsafeBufferPointer({ unsafe String(validating: $0, as: UTF8.self) }) != nil { return text }
    var bytes: [UInt8] = []
    for index in indices {
      if self[index] < 0x80 { bytes.append(self[index]) } else { bytes.append(escaping: self[index]) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether nothing from `start` on has to be percent-encoded.
  func isEncoded(from start: Int) -> Bool {
    for index in start..<count where !isURLByte(at: index) { return false }
    return true
  }

  /// Whether the byte may be in a path, a query or a fragment (RFC 3986 appendix A). A `%` may only begin
  /// an escape.
  func isURLByte(at index: Int) -> Bool {
    let byte = self[index]
    guard byte == UInt8(ascii: "%") else { return byte.isAllowedInURL }
    return index + 2 < count && self[index + 1].isHexDigit && self[index + 2].isHexDigit
  }

  /// Where the path, query or fragment begins: after the scheme and the authority, if the URL has them.
  fileprivate var authorityEnd: Int {
    var index = 0
    while index < count, self[index].isInScheme { index += 1 }
    let hasScheme = index > 0 && index < count && self[index] == UInt8(ascii: ":")
    index = hasScheme ? index + 1 : 0
    let slashes = index
    while index < count, self[index] == UInt8(ascii: "/") { index += 1 }
    // Without a scheme, a single slash begins a path.
    guard hasScheme || index - slashes >= 2 else { return 0 }
    while index < count, !"/?#".utf8.contains(self[index]) { index += 1 }
    return index
  }
}

extension UInt8 {
  /// A bit for each byte up to 0x7F that may be in a URL.
  private static let allowed: (low: UInt64, high: UInt64) = {
    var bits: (low: UInt64, high: UInt64) = (0, 0)
    for byte in UInt8(0)..<0x80 where byte.isInScheme || "_~!$&'()*,;=:@/?#".utf8.contains(byte) {
      if byte < 64 { bits.low |= 1 << UInt64(byte) } else { bits.high |= 1 << UInt64(byte - 64) }
    }
    return bits
  }()

  fileprivate var isAllowedInURL: Bool {
    let bits = self < 64 ? Self.allowed.low : Self.allowed.high
    return self < 0x80 && bits >> UInt64(self & 63) & 1 == 1
  }

  fileprivate var isInScheme: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }

  fileprivate var isHexDigit: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }
}
