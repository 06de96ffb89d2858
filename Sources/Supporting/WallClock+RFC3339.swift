extension WallClock {
  /// The milliseconds since 1970 of a date and time (RFC 3339, section 5.6), from 1970 to 9999.
  /// Nil if the text is not such a time. A leap second counts as the second after it.
  package static func milliseconds(of timestamp: String) -> Int64? {
    var text = Substring(timestamp).utf8
    func number(_ digits: Int) -> Int32? {
      guard text.count >= digits, text.prefix(digits).allSatisfy(\.isASCIIDigit) else { return nil }
      defer { text = text.dropFirst(digits) }
      return text.prefix(digits).reduce(0) { $0 * 10 + Int32($1 - 0x30) }
    }
    func skip(_ signs: String) -> UInt8? {
      guard let first = text.first, signs.utf8.contains(first) else { return nil }
      text = text.dropFirst()
      return first
    }
    guard let year = number(4), year >= 1970, skip("-") != nil, let month = number(2), 1...12 ~= month,
      skip("-") != nil, let day = number(2), skip("Tt ") != nil, let hour = number(2), hour < 24,
      skip(":") != nil, let minute = number(2), minute < 60, skip(":") != nil, let second = number(2),
      second <= 60
    else { return nil }
    var fraction: Int64 = 0
    if skip(".") != nil {
      let digits = text.prefix { $0.isASCIIDigit }
      guard !digits.isEmpty else { return nil }
      text = text.dropFirst(digits.count)
      fraction = Int64((Array(digits) + [0x30, 0x30]).prefix(3).reduce(0) { $0 * 10 + Int64($1 - 0x30) })
    }
    var offset: Int32 = 0
    switch skip("Zz+-") {
    case nil: return nil
    case UInt8(ascii: "Z"), UInt8(ascii: "z"): break
    case let sign:
      guard let hours = number(2), hours < 24, skip(":") != nil, let minutes = number(2), minutes < 60 else {
        return nil
      }
      offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
    let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as [Int64]
    guard text.isEmpty, 1...lengths[Int(month) - 1] ~= Int64(day) else { return nil }
    let past = Int64(year) - 1
    // 719,162 days came before 1970.
    let days =
      365 * past + past / 4 - past / 100 + past / 400 - 719_162 + lengths.prefix(Int(month) - 1).reduce(0, +)
      + Int64(day) - 1
    let minutes = days * 1_440 + Int64(hour) * 60 + Int64(minute) - Int64(offset)
    return (minutes * 60 + Int64(second)) * 1_000 + fraction
  }
}
