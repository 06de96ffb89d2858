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
    let numbers: InlineArray<7, (Int32, digits: Int, end: Unicode.Scalar)> = unsafe [
      (parts.tm_year + 1_900, 4, "-"), (parts.tm_mon + 1, 2, "-"), (parts.tm_mday, 2, "T"),
      (parts.tm_hour, 2, ":"), (parts.tm_min, 2, ":"), (parts.tm_sec, 2, "."),
      (Int32(time.tv_nsec / 1_000_000), 3, "Z"),
    ]
    return unsafe String(unsafeUninitializedCapacity: 24) { text in
      var index = 0
      for number in numbers.indices {
        var (rest, digits, end) = numbers[number]
        for place in (index..<index + digits).reversed() {
          unsafe text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        index += digits
        unsafe text[index] = UInt8(ascii: end)
        index += 1
      }
      return index
    }
  }

  private static var now: timespec {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return time
  }
}
