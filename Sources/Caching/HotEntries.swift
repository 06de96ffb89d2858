internal import Supporting
internal import Synchronization

/// The entries that were used last. Thanks to them, a file that many want is looked for only once a second.
package final class HotEntries: Sendable {
  /// Entries at most. They take some 40 KB.
  private static let maximum = 64

  package enum State: Sendable {
    /// The file was in the store at the last check.
    case kept(CacheEntry)
    /// Every payload has to fetch for itself, because the response may not be shared.
    case uncacheable

    /// How long this holds without a look at the store or a question to the server.
    fileprivate var validity: Duration { if case .kept = self { .seconds(1) } else { .seconds(60) } }
  }

  /// The one that was used last is the last.
  private let entries = Mutex([(url: URLDigest, state: State, end: MonotonicTime)]())

  package init() {}

  /// What still holds of a URL without asking anybody.
  package func find(_ url: URLDigest) -> State? {
    guard let (_, state, end) = use(url), .now < end else { return nil }
    if case .kept(let entry) = state, !entry.isFresh(at: WallClock.milliseconds) { return nil }
    return state
  }

  /// The entry of a file that was in the store.
  package func entry(of url: URLDigest) -> CacheEntry? {
    if case .kept(let entry)? = use(url)?.state { entry } else { nil }
  }

  private func use(_ url: URLDigest) -> (url: URLDigest, state: State, end: MonotonicTime)? {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.url == url }) else { return nil }
      entries.append(entries.remove(at: index))
      return entries.last
    }
  }

  package func put(_ url: URLDigest, _ state: State) {
    entries.withLock { entries in
      entries.removeAll { $0.url == url }
      if entries.count >= Self.maximum { entries.removeFirst() }
      entries.append((url, state, .now + state.validity))
    }
  }
}
