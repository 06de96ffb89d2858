package import Enriching

/// The last failures, each kind once per host: a flood of one kind must not hide the others.
package struct RecentFailures: Sendable {
  static let capacity = 20
  /// In bytes. A detail may quote a server.
  static let maximumDetail = 200

  package struct Entry: Equatable, Sendable {
    package let reason: Reason
    /// Nil if no host was asked.
    package let host: String?
    /// The detail of the latest failure.
    package var detail: String
    /// What to do about the latest failure.
    package var advice: String?
    package var count = 1
    /// When it last happened.
    package var time: ContinuousClock.Instant
  }

  /// Latest first.
  package private(set) var entries: [Entry] = []

  mutating func add(_ failure: Failure, host: String?, at time: ContinuousClock.Instant) {
    var detail = failure.detail
    if detail.utf8.count > Self.maximumDetail {
      detail = String(decoding: detail.utf8.prefix(Self.maximumDetail), as: UTF8.self) + "…"
    }
    var entry = Entry(reason: failure.reason, host: host, detail: detail, advice: failure.advice, time: time)
    if let index = entries.firstIndex(where: { $0.reason == failure.reason && $0.host == host }) {
      entry.count += entries.remove(at: index).count
    } else if entries.count == Self.capacity {
      entries.removeLast()
    }
    entries.insert(entry, at: 0)
  }
}
