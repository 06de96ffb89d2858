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
    func digits(_ number: Int32, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let date = unsafe [
      digits(parts.tm_year + 1_900, 4), digits(parts.tm_mon + 1, 2), digits(parts.tm_mday, 2),
    ]
    let clock = unsafe [digits(parts.tm_hour, 2), digits(parts.tm_min, 2), digits(parts.tm_sec, 2)]
    let fraction = digits(Int32(time.tv_nsec / 1_000_000), 3)
    return "\(date.joined(separator: "-"))T\(clock.joined(separator: ":")).\(fraction)Z"
  }
}
