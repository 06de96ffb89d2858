internal import Supporting

/// An HTTP date (RFC 9110 section 5.6.7).
package struct HTTPDate: Equatable, Sendable {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

  /// Seconds since 1970, without leap seconds, from the year 1 to the year 9999.
  package let seconds: Int64

  /// - Parameter seconds: since 1970.
  /// - Returns: nil for a date whose year does not have four digits.
  package init?(seconds: Int64) {
    guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
    self.seconds = seconds
  }

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, and the two older formats. The name of the day is ignored.
  /// - Returns: nil if it is not a valid date.
  package init?(_ text: String) {
    let parts = text.split { " ,-:".contains($0) }
    // asctime has the year at its end, and no time zone.
    let isOld = parts.count == 7
    guard isOld || parts.count == 8 && parts[7] == "GMT" else { return nil }
    let dayText = parts[isOld ? 2 : 1]
    let yearText = parts[isOld ? 6 : 3]
    let time = parts[(isOld ? 3 : 4)...].prefix(3).compactMap { Self.number($0) }
    guard let day = Self.number(dayText),
      let month = Self.months.firstIndex(of: String(parts[isOld ? 1 : 2])),
      var year = Self.number(yearText), time.count == 3, [2, 4].contains(yearText.utf8.count),
      (1...31).contains(day), time[0] < 24, time[1] < 60, time[2] <= 60
    else { return nil }
    // RFC 850 has two digits: from 70 on, they are of the last century.
    if yearText.utf8.count == 2 { year += year < 70 ? 2_000 : 1_900 }
    guard year > 0, day <= Self.length(of: month + 1, in: year) else { return nil }
    seconds =
      Self.dayNumber(year, month + 1, day) * 86_400 + time[0] * 3_600 + time[1] * 60 + min(time[2], 59)
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`
  package var text: String {
    let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let time = seconds - day * 86_400
    let (year, month, date) = Self.date(day)
    let name = Self.days[Int((day % 7 + 7) % 7)]
    let clock = [time / 3_600, time / 60 % 60, time % 60].map { Self.padded($0, 2) }.joined(separator: ":")
    return
      "\(name), \(Self.padded(date, 2)) \(Self.months[Int(month) - 1]) \(Self.padded(year, 4)) \(clock) GMT"
  }

  private static func number(_ text: Substring) -> Int64? {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return Int64(text)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func length(of month: Int, in year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970 in the Gregorian calendar. Years are counted from March, so that the leap day is the
  /// last day.
  private static func dayNumber(_ year: Int64, _ month: Int, _ day: Int64) -> Int64 {
    let years = month > 2 ? year : year - 1
    let months = Int64(month > 2 ? month - 3 : month + 9)
    return years * 365 + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 719_469
  }

  /// The inverse of `dayNumber`.
  private static func date(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let count = day + 719_468
    let era = count / 146_097
    let rest = count % 146_097
    let years = (rest - rest / 1_460 + rest / 36_524 - rest / 146_096) / 365
    let dayOfYear = rest - (365 * years + years / 4 - years / 100)
    let month = (5 * dayOfYear + 2) / 153
    let year = years + era * 400 + (month >= 10 ? 1 : 0)
    return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
  }
}
