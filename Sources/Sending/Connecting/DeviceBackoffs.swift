internal import Supporting

/// How long devices whose pushes APNs wants later have to wait: 1 s, doubling to 15 minutes, as Apple
/// asks. What is put off waits in its queue. This keeps only how long, and forgets it with the process.
struct DeviceBackoffs {
  private static let longest = 900
  /// The others wait for a second each time.
  private static let maximum = 4_096

  private struct Entry {
    var seconds: Int
    var end: MonotonicTime
    /// With the push that was put off. Until all of it is answered, nobody knows of that.
    var batch: PushBatch
  }

  private var entries: [String: Entry] = [:]

  /// How long to wait from now on. Each call counts as a failed attempt.
  mutating func next(for device: String, of batch: PushBatch, at now: MonotonicTime) -> Duration {
    let seconds = entries[device].map { min($0.seconds * 2, Self.longest) } ?? 1
    // Kept as long again, for the attempt at its end.
    if entries.count >= Self.maximum {
      entries = entries.filter { $0.value.end + .seconds($0.value.seconds + 30) > now }
    }
    if entries.count < Self.maximum || entries[device] != nil {
      entries[device] = Entry(seconds: seconds, end: now + .seconds(seconds), batch: batch)
    }
    return .seconds(seconds)
  }

  /// How long a push that comes now has to wait for one that was put off. Nil if it does not.
  func rest(of device: String, at now: MonotonicTime) -> Duration? {
    guard !entries.isEmpty, let entry = entries[device] else { return nil }
    if entry.end > now { return max(entry.end - now, .milliseconds(10)) }
    return entry.batch.isComplete ? nil : .milliseconds(100)
  }

  mutating func succeed(_ device: String) { if !entries.isEmpty { entries[device] = nil } }
}
