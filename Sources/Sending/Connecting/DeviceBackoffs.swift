internal import Supporting

/// How long devices whose pushes APNs wants later have to wait: 1 s, doubling to 15 minutes, as Apple
/// asks. What is put off waits in its queue. This keeps only how long, and forgets it with the process.
struct DeviceBackoffs {
  private static let longest = 900
  /// The others wait for a second each time.
  private static let maximum = 4_096

  private var entries: [String: (seconds: Int, end: MonotonicTime)] = [:]

  /// How long to wait from now on. Each call counts as a failed attempt.
  mutating func next(for device: String, at now: MonotonicTime) -> Duration {
    let seconds = entries[device].map { min($0.seconds * 2, Self.longest) } ?? 1
    if entries.count >= Self.maximum { entries = entries.filter { $0.value.end > now } }
    if entries.count < Self.maximum || entries[device] != nil {
      // Kept as long again, for the attempt at its end.
      entries[device] = (seconds, now + .seconds(2 * seconds + 30))
    }
    return .seconds(seconds)
  }

  mutating func succeed(_ device: String) { if !entries.isEmpty { entries[device] = nil } }
}
