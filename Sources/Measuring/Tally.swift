package import Supporting

/// The counts of a worker since its start. `recent`, `hosts` and `failures` cover less time.
package struct Tally: Sendable {
  /// One count per verdict of `Verdict.allCases`.
  package var verdicts = [UInt64](repeating: 0, count: Verdict.allCases.count)
  package var enriched = Histogram()
  package var unmodified = Histogram()
  /// One per stage of `Stage.allCases`.
  package var stages = [Histogram](repeating: Histogram(), count: Stage.allCases.count)
  package var publishing = Histogram()
  package var consumed: UInt64 = 0
  /// Messages that were sent as they are.
  package var sent: UInt64 = 0
  package var receiveErrors: UInt64 = 0
  package var returned: UInt64 = 0
  package var postponed: UInt64 = 0
  /// By kind of error.
  package var publishErrors: [String: UInt64] = [:]
  package var letterErrors: [String: UInt64] = [:]
  package var deadLetters: UInt64 = 0
  /// Answers of a door, by status.
  package var answers: [Int: UInt64] = [:]
  /// Bytes of response bodies.
  package var received: UInt64 = 0
  /// Bytes of attached files.
  package var attached: UInt64 = 0
  /// Attached files that iOS may not show, by the kind of the warning.
  package var warnings: [String: UInt64] = [:]
  package var inFlight = 0
  package var recent = RecentWork()
  package var failures = RecentFailures()
  var hosts = HostLedger()
  /// Payloads finished per second, over the last five to ten seconds.
  package internal(set) var rate = 0.0

  package func slowestHosts(_ count: Int) -> [HostRow] { hosts.slowest(count) }

  /// - Parameter elapsed: seconds since the start.
  mutating func advance(to elapsed: Double) {
    let slot = Int(elapsed) / RecentWork.slotSeconds
    recent.advance(to: slot)
    hosts.advance(to: slot)
    let finished = recent.paces.suffix(2).reduce(0) { $0 + $1.finished }
    let start = Double(max(0, slot - 1) * RecentWork.slotSeconds)
    rate = Double(finished) / max(1, elapsed - start)
  }

  mutating func add(_ medium: MediumTally, in slot: Int) {
    received &+= UInt64(medium.received)
    attached &+= UInt64(medium.attached ?? 0)
    if let warning = medium.warning { warnings[warning, default: 0] &+= 1 }
    medium.forEachDuration { stage, duration in
      if let index = Stage.allCases.firstIndex(of: stage) { stages[index].add(microseconds: duration) }
    }
    for visit in medium.visits { hosts.add(visit, in: slot) }
  }
}
