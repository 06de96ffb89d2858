package import Supporting
internal import Synchronization

/// The entries that were used last, in memory: so that a file that many payloads want is checked in the store
/// only once a second.
package final class HotEntries: Sendable {
  /// Entries at most, in some 40 KB.
  static let maximum = 64
  /// How long a file is taken to be there without a look at the store.
  package static let recheckInterval = Duration.seconds(1)
  /// How long a URL counts as uncacheable after a response that may not be shared.
  package static let uncacheableLifetime = Duration.seconds(60)

  package enum State: Sendable {
    /// In the store, when that was checked last.
    case kept(CacheEntry, checked: MonotonicTime)
    /// Every payload has to fetch for itself.
    case uncacheable(until: MonotonicTime)
  }

  private let entries = Mutex((byURL: [URLDigest: (state: State, used: UInt64)](), uses: UInt64(0)))

  package init() {}

  package func find(_ url: URLDigest) -> State? {
    entries.withLock { entries in
      entries.uses += 1
      entries.byURL[url]?.used = entries.uses
      return entries.byURL[url]?.state
    }
  }

  /// The entry of a file that was in the store.
  package func entry(of url: URLDigest) -> CacheEntry? {
    if case .kept(let entry, _)? = find(url) { entry } else { nil }
  }

  package func put(_ url: URLDigest, _ state: State) {
    entries.withLock { entries in
      entries.uses += 1
      if entries.byURL.count >= Self.maximum, entries.byURL[url] == nil,
        let oldest = entries.byURL.min(by: { $0.value.used < $1.value.used })?.key
      {
        entries.byURL[oldest] = nil
      }
      entries.byURL[url] = (state, entries.uses)
    }
  }
}
