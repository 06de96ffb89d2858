internal import Supporting
internal import Synchronization

/// The most recently used entries. With them, a popular file is looked up only once a second.
package final class HotEntries: Sendable {
  /// The most entries. They take about 40 KB.
  private static let maximum = 64

  package enum State: Sendable {
    /// The file was in the store at the last check.
    case kept(CacheEntry)
    /// Every payload has to fetch for itself, because the response may not be shared.
    case uncacheable

    /// How long this is valid without checking the store or asking the server.
    fileprivate var validity: Duration { if case .kept = self { .seconds(1) } else { .seconds(60) } }
  }

  /// The most recently used entry comes last.
  private let entries = Mutex([(url: URLDigest, state: State, end: MonotonicTime)]())

  package init() {}

  /// The state of a URL, or nil if the store or the server must be asked.
  package func find(_ url: URLDigest) -> State? {
    guard let (_, state, end) = use(url), .now < end else { return nil }
    if case .kept(let entry) = state, !entry.isFresh(at: WallClock.milliseconds) { return nil }
    return state
  }

  /// The entry of a URL whose file was in the store, even if it must be checked again.
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
