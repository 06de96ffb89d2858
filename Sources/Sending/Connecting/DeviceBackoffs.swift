internal import Supporting

/// How long to wait for devices whose pushes APNs wants later: 1 s, doubling to 15 minutes, as Apple asks.
/// The pushes wait in their queue. Only the times are kept here, and only as long as the process runs.
struct DeviceBackoffs {
  private static let longest = 900
  /// If there are more devices, the others wait for a second each time.
  private static let maximum = 4_096

  private struct Entry {
    var seconds: Int
    var end: MonotonicTime
    /// The batch of the push that was put off. Its sender learns of that only when the whole batch
    /// is answered. Weak, because it has the payloads of all its pushes, and the entry outlives it.
    weak var batch: PushBatch?
  }

  private var entries: [String: Entry] = [:]
  /// At this many entries, those that no longer count are removed.
  private var crowd = 256

  /// Returns how long the device waits from now on. Each call counts as a failed attempt.
  mutating func next(for device: String, of batch: PushBatch, at now: MonotonicTime) -> Duration {
    let seconds = entries[device].map { min($0.seconds * 2, Self.longest) } ?? 1
    if entries.count >= crowd {
      // Keeps each entry for twice its wait and 30 s, because the next attempt comes at the end of the wait.
      entries = entries.filter { $0.value.end + .seconds($0.value.seconds + 30) > now }
      crowd = min(max(entries.count * 2, 256), Self.maximum)
    }
    if entries.count < Self.maximum || entries[device] != nil {
      entries[device] = Entry(seconds: seconds, end: now + .seconds(seconds), batch: batch)
    }
    return .seconds(seconds)
  }

  /// How long a new push must wait because an earlier one was put off. Nil if it need not wait.
  func rest(of device: String, at now: MonotonicTime) -> Duration? {
    guard !entries.isEmpty, let entry = entries[device] else { return nil }
    if entry.end > now { return max(entry.end - now, .milliseconds(10)) }
    return entry.batch?.isComplete == false ? .milliseconds(100) : nil
  }

  mutating func succeed(_ device: String) { if !entries.isEmpty { entries[device] = nil } }
}
