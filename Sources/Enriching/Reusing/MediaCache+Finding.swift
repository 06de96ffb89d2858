internal import Caching
internal import Storing
internal import Supporting

extension MediaCache {
  typealias Completion = SingleFlight<URLDigest, CachedFile>.Completion

  /// The file of a URL, and what follows from where it was found. A class, because callers hold it in frames
  /// on the heap.
  final class Lookup: Sendable {
    let file: CachedFile
    let use: CacheUse
    /// For the payloads that wait for the same URL.
    let completion: Completion
    /// What the cache's file remembers of the URL, unless it was a hit; nil for nothing.
    let entry: CacheEntry?

    init(_ file: CachedFile, _ use: CacheUse, _ completion: Completion, entry: CacheEntry? = nil) {
      self.file = file
      self.use = use
      self.completion = completion
      self.entry = entry
    }
  }

  /// The file from the cache if it is fresh, otherwise from the server.
  func find(_ url: URLDigest, in store: any MediaStore, fetch: Fetch) async throws(Failure) -> Lookup {
    let entry = await remembered(url, in: store)
    if let entry, let lookup = fresh(entry) { return lookup }
    let download = try await fetch(entry)
    guard download.file == nil else { return try remember(download, of: url) }
    guard let entry, let reuse = download.reuse(after: entry),
      await store.touch(entry.file.name, size: entry.file.size)
    else {
      // It may no longer be shared, or it is gone, or the server means another file.
      return try remember(try await fetch(nil), of: url)
    }
    return remember(entry.renewed(reuse), use: .revalidated)
  }

  /// The entry of a URL, if its file is in the store. That counts as used from then on.
  private func remembered(_ url: URLDigest, in store: any MediaStore) async -> CacheEntry? {
    let directory = store.spools.path
    let known = hot.entry(of: url)
    guard
      let entry = await cacheFile.find(url, known: known, besides: directory, where: { self.isUsable($0) })
    else { return nil }
    if await store.touch(entry.file.name, size: entry.file.size) { return entry }
    await cacheFile.set(nil, of: url, besides: directory)
    return nil
  }

  // Not inlined: see `MediaCache.reusable`.

  /// - Returns: nil if the server has to be asked.
  @inline(never)
  private func fresh(_ entry: CacheEntry) -> Lookup? {
    guard entry.isFresh(at: WallClock.milliseconds) else { return nil }
    hot.put(entry.url, .kept(entry))
    return Lookup(entry.file, .hit, .shared(entry.file))
  }

  @inline(never)
  private func remember(_ download: Download, of url: URLDigest) throws(Failure) -> Lookup {
    let file = try download.sentFile()
    guard let reuse = download.reuse(), let source = URLDigest(download.source) else {
      hot.put(url, .uncacheable)
      return Lookup(file, .miss, .unshareable)
    }
    let entry = CacheEntry(url: url, source: source, policy: policy, file: file, reuse: reuse)
    return remember(entry, use: .miss)
  }

  @inline(never)
  private func remember(_ entry: CacheEntry, use: CacheUse) -> Lookup {
    // Before the others are told, so that payloads that come then find it.
    hot.put(entry.url, .kept(entry))
    let file = entry.file
    let completion: Completion = entry.isFreshOnArrival ? .shared(file) : .staleForLaterCallers(file)
    return Lookup(file, use, completion, entry: entry)
  }
}
