internal import Glibc

/// The time of day, without Foundation.
enum WallClock {
  /// Since 1970.
  static var seconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }

  /// As RFC 3339 has it, in UTC: `2026-11-21T09:30:00.123Z`.
  static var now: String {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    var parts = unsafe tm()
    unsafe gmtime_r(&time.tv_sec, &parts)
    var text = Array("0000-00-00T00:00:00.000Z".utf8)
    let numbers = unsafe [
      (parts.tm_year + 1_900, 3), (parts.tm_mon + 1, 6), (parts.tm_mday, 9), (parts.tm_hour, 12),
      (parts.tm_min, 15),
      (parts.tm_sec, 18), (Int32(time.tv_nsec / 1_000_000), 22),
    ]
    for (number, lastPlace) in numbers {
      var (rest, place) = (number, lastPlace)
      while rest > 0, place >= 0 {
        text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
        place -= 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
