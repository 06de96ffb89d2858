package import Enriching

/// The last failures, each kind at each host once: a flood of one does not wash away the others.
package struct RecentFailures: Sendable {
  static let capacity = 20
  /// In bytes: some of a detail are words of a server.
  static let maximumDetail = 200

  package struct Entry: Equatable, Sendable {
    package let reason: Reason
    /// Whom the medium was asked of, where it came to that.
    package let host: String?
    /// What happened the last time.
    package var detail: String
    package var count = 1
    /// The last time.
    package var time: ContinuousClock.Instant
  }

  /// Latest first.
  package private(set) var entries: [Entry] = []

  mutating func add(_ failure: Failure, host: String?, at time: ContinuousClock.Instant) {
    var entry = Entry(reason: failure.reason, host: host, detail: Self.shortened(failure.detail), time: time)
    if let index = entries.firstIndex(where: { $0.reason == failure.reason && $0.host == host }) {
      entry.count += entries.remove(at: index).count
    } else if entries.count == Self.capacity {
      entries.removeLast()
    }
    entries.insert(entry, at: 0)
  }

  private static func shortened(_ text: String) -> String {
    guard text.utf8.count > maximumDetail else { return text }
    return String(decoding: text.utf8.prefix(maximumDetail), as: UTF8.self) + "…"
  }
}
