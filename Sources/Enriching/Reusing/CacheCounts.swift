/// How often the cache helped, by media, since the process started.
package struct CacheCounts: Equatable, Sendable {
  /// Files from the cache.
  package var hits = 0
  /// Files from the cache, after the server has confirmed that they have not changed.
  package var revalidations = 0
  /// Files that were fetched.
  package var misses = 0
  /// Files that another payload was fetching.
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
