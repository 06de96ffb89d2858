/// The numbers of a worker since its start, but for `recent`, `hosts` and `failures`.
package struct Tally: Sendable {
  /// For each of `Verdict.allCases`.
  package var verdicts = [UInt64](repeating: 0, count: Verdict.allCases.count)
  /// How long payloads took that came out so.
  package var enriched = Histogram()
  package var unmodified = Histogram()
  /// For each of `Stage.allCases`.
  package var stages = [Histogram](repeating: Histogram(), count: Stage.allCases.count)
  package var publishing = Histogram()
  /// Messages handed out to this worker.
  package var consumed: UInt64 = 0
  package var receiveErrors: UInt64 = 0
  /// Messages that went back to their queue.
  package var returned: UInt64 = 0
  /// Results that were not published, by what was in the way.
  package var publishErrors: [String: UInt64] = [:]
  /// The same of dead letters.
  package var letterErrors: [String: UInt64] = [:]
  package var deadLetters: UInt64 = 0
  /// In bytes, of bodies.
  package var received: UInt64 = 0
  /// In bytes, of files.
  package var attached: UInt64 = 0
  /// Messages that are being worked on.
  package var inFlight = 0
  package var recent = RecentWork()
  package var failures = RecentFailures()
  var hosts = HostLedger()

  /// Payloads that are finished in a second now, over the last five to ten seconds.
  package internal(set) var rate = 0.0

  package init() {}

  /// The hosts that took the most time in the last minutes, the slowest first.
  package func slowestHosts(_ count: Int) -> [HostRow] { hosts.slowest(count) }

  /// - Parameter elapsed: since the start, in seconds.
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
    medium.forEachDuration { stage, duration in
      if let index = Stage.allCases.firstIndex(of: stage) { stages[index].add(microseconds: duration) }
    }
    for visit in medium.visits { hosts.add(visit, in: slot) }
  }
}
