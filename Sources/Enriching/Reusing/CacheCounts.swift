internal import Synchronization

/// How often the cache helped, by media, since the process started.
package struct CacheCounts: Equatable, Sendable {
  /// Taken from it.
  package var hits = 0
  /// Taken from it after the server had said that nothing has changed.
  package var revalidations = 0
  /// Fetched.
  package var misses = 0
  /// Taken from what another payload was fetching.
  package var shared = 0

  mutating func add(_ use: CacheUse) {
    switch use {
    case .hit: hits += 1
    case .revalidated: revalidations += 1
    case .miss: misses += 1
    case .shared: shared += 1
    }
  }
}

/// Where a medium came from. The raw values are stable: they are in reports.
package enum CacheUse: String, Sendable {
  case hit, revalidated, miss, shared
}
