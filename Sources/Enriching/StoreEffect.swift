/// What a payload's result shows about the store.
package enum StoreEffect: Equatable, Sendable {
  case untouched
  case stored
  /// Its result lacks something because the store fails or hangs.
  case failed(Failure)
}

extension Report {
  package var storeEffect: StoreEffect {
    let failures = [failure] + media.map(\.failure)
    if let failure = failures.compactMap(\.self).first(where: \.isStoreOutage) { return .failed(failure) }
    // A file from the cache, or from another payload's download, was written earlier.
    return media.contains { $0.stored != nil && [nil, .miss].contains($0.cacheUse) } ? .stored : .untouched
  }
}
