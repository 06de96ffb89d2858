internal import Caching
internal import Storing
internal import Supporting

extension MediaCache {
  /// The file of a URL, its origin and its entry. A class, because async frames hold it.
  final class Lookup: Sendable {
    let file: CachedFile
    let use: CacheUse
    /// Nil if the file may not be shared.
    let entry: CacheEntry?

    init(_ file: CachedFile, _ use: CacheUse, _ entry: CacheEntry?) {
      self.file = file
      self.use = use
      self.entry = entry
    }

    /// The result for the payloads that wait for the same URL.
    var completion: SingleFlight<URLDigest, CachedFile>.Completion {
      guard let entry else { return .unshareable }
      return entry.isFreshOnArrival ? .shared(file) : .staleForLaterCallers(file)
    }
  }

  /// Returns the file from the cache if it is fresh, or else from the server.
  func find(_ url: URLDigest, in store: any MediaStore, fetch: Fetch) async throws(Failure) -> Lookup {
    let entry = await remembered(url, in: store)
    if let entry, entry.isFresh(at: WallClock.milliseconds) { return remember(entry, use: .hit) }
    let download = try await fetch(entry)
    guard download.file == nil else { return try remember(download, of: url) }
    guard let entry, let reuse = download.reuse(after: entry),
      await store.touch(entry.file.name, size: entry.file.size) == .present
    else {
      // The file may no longer be shared, or has left the store, or the server means another version.
      return try remember(try await fetch(nil), of: url)
    }
    return remember(entry.renewed(reuse), use: .revalidated)
  }

  /// The entry of a URL if its file is in the store. The file counts as used now. If the store does not say
  /// whether it has the file, the entry stays: otherwise, a moment's outage would cost all entries.
  private func remembered(_ url: URLDigest, in store: any MediaStore) async -> CacheEntry? {
    let (directory, known) = (store.spools.path, hot.entry(of: url))
    let found = await cacheFile.find(url, known: known, besides: directory) { [self] in isUsable($0) }
    guard let entry = found else { return nil }
    switch await store.touch(entry.file.name, size: entry.file.size) {
    case .present: return entry
    case .absent: await cacheFile.set(nil, of: url, besides: directory)
    case .unknown: break
    }
    return nil
  }

  @inline(never)  // see `TaskPool`
  private func remember(_ download: Download, of url: URLDigest) throws(Failure) -> Lookup {
    let file = try download.sentFile()
    guard let reuse = download.reuse(), let source = URLDigest(download.source) else {
      hot.put(url, .uncacheable)
      return Lookup(file, .miss, nil)
    }
    let entry = CacheEntry(
      url: url, source: source, policy: download.dependsOnUserAgent ? userAgentPolicy : policy, file: file,
      reuse: reuse)
    return remember(entry, use: .miss)
  }

  @inline(never)  // see `TaskPool`
  private func remember(_ entry: CacheEntry, use: CacheUse) -> Lookup {
    // Done before waiting payloads get the file, so that later payloads find the entry.
    hot.put(entry.url, .kept(entry))
    return Lookup(entry.file, use, entry)
  }
}
