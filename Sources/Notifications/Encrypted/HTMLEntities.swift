/// The character references that servers write for plain text (HTML, "Named character references" and "Numeric
/// character reference state").
enum HTMLEntities {
  private static let named: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{a0}",
  ]
  /// The longest reference in bytes, without `&` and `;`.
  private static let maximumLength = 8

  /// Decodes once. Text that is not a reference stays as it is.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      let name = rest.prefix(maximumLength + 1)
      if byte == UInt8(ascii: "&"), let end = name.firstIndex(of: UInt8(ascii: ";")),
        let scalar = scalar(String(decoding: rest[..<end], as: UTF8.self))
      {
        decoded.append(contentsOf: Character(scalar).utf8)
        rest = rest[(end + 1)...]
      } else {
        decoded.append(byte)
      }
    }
    return decoded
  }

  private static func scalar(_ name: String) -> Unicode.Scalar? {
    guard name.hasPrefix("#") else { return named[name] }
    let digits = name.dropFirst()
    let isHex = digits.first == "x" || digits.first == "X"
    let number = isHex ? digits.dropFirst() : digits
    guard number.utf8.allSatisfy({ JSONEscape.hexadecimalDigit($0) != nil }) else { return nil }
    return UInt32(number, radix: isHex ? 16 : 10).flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
  }
}
