internal import Supporting

/// Bytes of a header, as text of HTTP.
extension Span<UInt8> {
  /// Where its text is, without the line ends behind it (RFC 9112 section 2.2 has recipients take LF alone).
  var beforeLineEnd: Range<Int> {
    var end = count
    while end > 0, self[end - 1] == 0x0a || self[end - 1] == 0x0d { end -= 1 }
    return 0..<end
  }

  /// Where its text is, without what may stand around a field value (RFC 9110 section 5.5).
  var withoutWhiteSpace: Range<Int> {
    var (start, end) = (0, count)
    while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
    while start < end, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
    return start..<end
  }

  /// The number that it is in decimal digits; nil where it is none, or too large.
  var decimal: Int? {
    guard !isEmpty else { return nil }
    var number = 0
    for index in indices {
      let byte = self[index]
      let (tenfold, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isSumTooLarge) = tenfold.addingReportingOverflow(Int(byte) - 0x30)
      guard byte.isASCIIDigit, !isTooLarge, !isSumTooLarge else { return nil }
      number = sum
    }
    return number
  }

  /// Where `byte` stands first; nil where it does not.
  func firstIndex(of byte: UInt8) -> Int? {
    for index in indices where self[index] == byte { return index }
    return nil
  }

  /// Of what stands behind the `HTTP/` of a status line, the three digits behind a version (RFC 9112 section
  /// 4), or behind the `2` that libcurl words; nil where something else stands there. libcurl itself takes
  /// other versions, and reads some of what stands in them as the status.
  var statusCode: Int? {
    var start = 0
    while start < count, self[start] != 0x20 { start += 1 }
    guard extracting(..<start).isVersion else { return nil }
    while start < count, self[start] == 0x20 { start += 1 }
    var end = start
    while end < count, self[end] != 0x20 { end += 1 }
    guard end - start == 3, (start..<end).allSatisfy({ self[$0].isASCIIDigit }) else { return nil }
    return (start..<end).reduce(0) { 10 * $0 + Int(self[$1] - 0x30) }
  }

  /// Whether it is a version of HTTP (RFC 9112 section 2.3), or `2`.
  private var isVersion: Bool {
    switch count {
    case 1: self[0] == UInt8(ascii: "2")
    case 3: self[0].isASCIIDigit && self[1] == UInt8(ascii: ".") && self[2].isASCIIDigit
    default: false
    }
  }

  /// As UTF-8, with U+FFFD for what is none.
  var text: String {
    unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// With U+FFFD for each byte that is none of ASCII: nobody knows what it stands for (RFC 9110 section 5.5),
  /// and a `String` of such text may take long to compare.
  var asciiText: String {
    if indices.allSatisfy({ self[$0] < 0x80 }) { return text }
    return unsafe withUnsafeBufferPointer { bytes in
      unsafe String(decoding: bytes.lazy.map { $0 < 0x80 ? $0 : 0xFF }, as: UTF8.self)
    }
  }

  /// Whether it is `name`, which is in lower case, in any case of ASCII letters.
  func spells(_ name: [UInt8]) -> Bool {
    count == name.count && indices.allSatisfy { self[$0].lowercasedASCII == name[$0] }
  }

  /// Byte for byte.
  func starts(with bytes: [UInt8]) -> Bool {
    count >= bytes.count && bytes.indices.allSatisfy { self[$0] == bytes[$0] }
  }
}
