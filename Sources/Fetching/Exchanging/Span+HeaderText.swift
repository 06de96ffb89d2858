internal import Supporting

extension Span<UInt8> {
  /// The line without its end (RFC 9112 section 2.2 accepts LF alone).
  var beforeLineEnd: Range<Int> { 0..<((indices.last { self[$0] != 0x0a && self[$0] != 0x0d } ?? -1) + 1) }

  /// The field value without the white space around it (RFC 9110 section 5.5).
  var withoutWhiteSpace: Range<Int> {
    func isText(_ index: Int) -> Bool { self[index] != 0x20 && self[index] != 0x09 }
    guard let start = indices.first(where: isText), let end = indices.last(where: isText) else {
      return 0..<0
    }
    return start..<end + 1
  }

  /// The value in decimal digits; nil if it is not a number or is too large.
  var decimal: Int? { !isEmpty && indices.allSatisfy { self[$0].isASCIIDigit } ? Int(text) : nil }
  func firstIndex(of byte: UInt8) -> Int? { indices.first { self[$0] == byte } }

  /// The status after an HTTP version (RFC 9112 section 4) or after the `2` that libcurl writes.
  /// libcurl 7.88.1 (WireTests) accepts other versions, and takes some of their digits as the status.
  var statusCode: Int? {
    let space = firstIndex(of: 0x20) ?? count
    let rest = extracting(space...)
    let value = rest.extracting((rest.indices.first { rest[$0] != 0x20 } ?? rest.count)...)
    let digits = value.extracting(..<(value.firstIndex(of: 0x20) ?? value.count))
    return extracting(..<space).isVersion && digits.count == 3 ? digits.decimal : nil
  }

  private var isVersion: Bool {
    switch count {
    case 1: self[0] == UInt8(ascii: "2")
    case 3: self[0].isASCIIDigit && self[1] == UInt8(ascii: ".") && self[2].isASCIIDigit
    default: false
    }
  }

  var text: String { unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) } }

  /// The text with U+FFFD for bytes outside ASCII, whose meaning is unknown (RFC 9110 section 5.5).
  var asciiText: String {
    if indices.allSatisfy({ self[$0] < 0x80 }) { return text }
    return unsafe withUnsafeBufferPointer { bytes in
      unsafe String(decoding: bytes.lazy.map { $0 < 0x80 ? $0 : 0xFF }, as: UTF8.self)
    }
  }

  /// Whether the text is `name`, ignoring case. `name` must be in lower case.
  func spells(_ name: [UInt8]) -> Bool {
    count == name.count && indices.allSatisfy { self[$0].lowercasedASCII == name[$0] }
  }

  func starts(with bytes: [UInt8]) -> Bool {
    count >= bytes.count && bytes.indices.allSatisfy { self[$0] == bytes[$0] }
  }
}
