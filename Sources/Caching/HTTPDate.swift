internal import Glibc
internal import Supporting

/// An HTTP date (RFC 9110 section 5.6.7).
package struct HTTPDate: Equatable, Sendable {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Seconds since 1970, without leap seconds, from the year 1 to the year 9999.
  package let seconds: Int64

  /// Returns nil for a date whose year does not have four digits.
  package init?(seconds: Int64) {
    guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
    self.seconds = seconds
  }

  /// Parses `Sun, 06 Nov 1994 08:49:37 GMT` and the two older formats. Ignores the name of the day.
  package init?(_ text: String) {
    let parts = text.split { " ,-:".contains($0) }
    // The format of asctime has the year at its end, and no time zone.
    let isOld = parts.count == 7
    guard isOld || parts.count == 8 && parts[7] == "GMT" else { return nil }
    let dayToSecond = (isOld ? [2, 1, 6, 3, 4, 5] : Array(1...6)).map { parts[$0] }
    let numbers = dayToSecond.map { Self.number($0) }
    guard let month = Self.months.firstIndex(of: String(dayToSecond[1])),
      [2, 4].contains(dayToSecond[2].utf8.count),
      let day = numbers[0], var year = numbers[2], let hour = numbers[3], hour < 24, let minute = numbers[4],
      minute < 60, let second = numbers[5], second <= 60
    else { return nil }
    // Years of RFC 850 have two digits. From 70 on, they mean 19xx.
    if dayToSecond[2].utf8.count == 2 { year += year < 70 ? 2_000 : 1_900 }
    var fields = unsafe tm()
    unsafe (fields.tm_year, fields.tm_mon, fields.tm_mday) = (year - 1_900, Int32(month), day)
    unsafe (fields.tm_hour, fields.tm_min, fields.tm_sec) = (hour, minute, min(second, 59))
    let seconds = unsafe timegm(&fields)
    // timegm(3) turns 31 November into 1 December.
    guard unsafe fields.tm_mday == day else { return nil }
    self.init(seconds: Int64(seconds))
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`
  package var text: String {
    var time = time_t(seconds)
    var fields = unsafe tm()
    unsafe gmtime_r(&time, &fields)
    var bytes = [CChar](repeating: 0, count: 32)
    let count = unsafe strftime(&bytes, bytes.count, "%a, %d %b %04Y %H:%M:%S GMT", &fields)
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func number(_ text: Substring) -> Int32? {
    (1...4).contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIIDigit) ? Int32(text) : nil
  }
}
