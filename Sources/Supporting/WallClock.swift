internal import Glibc
internal import Synchronization

/// The time since 1970. It can be compared across restarts and machines, but it may be set at any moment.
package enum WallClock {
  private static var now: timespec {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return time
  }

  package static var nanoseconds: Int {
    let time = now
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  package static var milliseconds: Int64 { Int64(nanoseconds / 1_000_000) }
  package static var seconds: Double { Double(nanoseconds) / 1_000_000_000 }

  /// Date and time in UTC, in the format of RFC 3339: `2026-11-21T09:30:00.123Z`.
  package static var timestamp: String {
    let time = now
    let milliseconds = String(1_000 + time.tv_nsec / 1_000_000).dropFirst()
    let seconds = lastSecond.withLock { last in
      if last.second != time.tv_sec { last = (time.tv_sec, text("%Y-%m-%dT%H:%M:%S", at: time.tv_sec)) }
      return last.text
    }
    return "\(seconds).\(milliseconds)Z"
  }

  /// The second of the last timestamp. A busy worker logs thousands of lines in it.
  private static let lastSecond = Mutex<(second: Int, text: String)>((.min, ""))
}

extension WallClock {
  /// Days since 1970 (UTC).
  package static var day: Int { Int(milliseconds / 86_400_000) }

  /// The date of a day since 1970: `2026-11-29` (RFC 3339 full-date).
  package static func date(ofDay day: Int) -> String { text("%Y-%m-%d", at: day * 86_400) }

  /// A time in seconds since 1970 (UTC), in a format of strftime(3) with at most 31 bytes.
  package static func text(_ format: String, at seconds: Int) -> String {
    var (time, parts) = unsafe (time_t(seconds), tm())
    unsafe gmtime_r(&time, &parts)
    return unsafe String(unsafeUninitializedCapacity: 32) { text in
      unsafe text.withMemoryRebound(to: CChar.self) {
        unsafe strftime($0.baseAddress, $0.count, format, &parts)
      }
    }
  }
}
