internal import Caching
internal import Synchronization

/// What was used last, in memory: a file that many want one after the other is looked at on the disk once a second.
final class HotEntries: Sendable {
  /// How many are remembered, in some 40 KB.
  static let maximum = 64
  /// How long a file that was there is taken to be there.
  static let trust = Duration.seconds(1)
  /// How long a URL whose answers may not be shared is not waited for by others who want it.
  static let reserve = Duration.seconds(60)

  enum State: Sendable {
    /// There, and looked at then.
    case kept(CacheEntry, ReusableFile, seen: ContinuousClock.Instant)
    /// Everybody has to fetch it for themselves, until then.
    case own(until: ContinuousClock.Instant)
  }

  private struct Entry {
    var state: State
    var used: UInt64
  }

  private let entries = Mutex((byURL: [URLDigest: Entry](), uses: UInt64(0)))

  func find(_ url: URLDigest) -> State? {
    entries.withLock { entries in
      entries.uses += 1
      entries.byURL[url]?.used = entries.uses
      return entries.byURL[url]?.state
    }
  }

  func put(_ url: URLDigest, _ state: State) {
    entries.withLock { entries in
      entries.uses += 1
      if entries.byURL.count >= Self.maximum, entries.byURL[url] == nil,
        let oldest = entries.byURL.min(by: { $0.value.used < $1.value.used })?.key
      {
        entries.byURL[oldest] = nil
      }
      entries.byURL[url] = Entry(state: state, used: entries.uses)
    }
  }

  func remove(_ url: URLDigest) { entries.withLock { $0.byURL[url] = nil } }
}
