/// Base 85 with the digits of ZeroMQ's RFC 32, as toot-relay writes it. Four bytes are five digits, and one to
/// three bytes at the end are two to four digits. Only for public data, because the time of a lookup in a table
/// can depend on the digit.
package enum Z85 {
  private static let digits = Array(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)

  private static let powers = [52_200_625, 614_125, 7_225, 85, 1]
  /// The values of all characters, 0xff for those that are not digits.
  private static let values = {
    var values = [UInt8](repeating: 0xff, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  static func decode(_ text: String) throws(DecryptingError) -> [UInt8] {
    let text = text.utf8.span
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 5 * 4 + 3)
    var start = 0
    while start < text.count {
      let group = text.extracting(start..<min(start + 5, text.count))
      guard group.count > 1 else { throw .failed }
      var value = 0
      for index in group.indices {
        let digit = values[Int(group[index])]
        guard digit != 0xff else { throw .failed }
        value = value * 85 + Int(digit)
      }
      let count = group.count - 1
      guard value >> (count * 8) == 0 else { throw .failed }
      for place in stride(from: count - 1, through: 0, by: -1) {
        bytes.append(UInt8(truncatingIfNeeded: value >> (place * 8)))
      }
      start += group.count
    }
    return bytes
  }

  package static func encode(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    var start = 0
    while start < bytes.count {
      let group = bytes.extracting(start..<min(start + 4, bytes.count))
      var value = 0
      for index in group.indices { value = value << 8 | Int(group[index]) }
      for power in powers.suffix(group.count + 1) { text.append(digits[value / power % 85]) }
      start += group.count
    }
    return String(decoding: text, as: UTF8.self)
  }
}
