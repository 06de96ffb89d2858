internal import Glibc

/// The time of day, which servers and files go by, and which is still known after a restart. Anybody may set
/// it back or forward.
package enum WallClock {
  /// Nanoseconds since 1970.
  package static var nanoseconds: Int {
    let time = now
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Milliseconds since 1970.
  package static var milliseconds: Int64 {
    let time = now
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Seconds since 1970.
  package static var seconds: Double {
    let time = now
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }

  /// Date and time in UTC, in the format of RFC 3339: `2026-11-21T09:30:00.123Z`.
  package static var timestamp: String {
    var time = now
    var parts = unsafe tm()
    unsafe gmtime_r(&time.tv_sec, &parts)
    var text = Array("0000-00-00T00:00:00.000Z".utf8)
    let numbers = unsafe [
      (parts.tm_year + 1_900, 3), (parts.tm_mon + 1, 6), (parts.tm_mday, 9), (parts.tm_hour, 12),
      (parts.tm_min, 15),
      (parts.tm_sec, 18), (Int32(time.tv_nsec / 1_000_000), 22),
    ]
    for (number, lastIndex) in numbers {
      var (rest, index) = (number, lastIndex)
      while rest > 0, index >= 0 {
        text[index] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
        index -= 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static var now: timespec {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return time
  }
}
