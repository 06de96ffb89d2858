internal import Caching
internal import Fetching
internal import Sniffing
internal import Storing
internal import Supporting

extension MediaCache {
  /// The file of a URL, and what follows from where it was found. A class, because callers hold it in frames
  /// on the heap.
  final class Lookup: Sendable {
    /// How the URL's entry in the cache's file is to change.
    enum Update: Sendable { case none, keep(CacheEntry), forget }

    let file: ReusableFile
    let use: CacheUse
    /// For the payloads that wait for the same URL.
    let completion: SingleFlight<URLDigest, ReusableFile>.Completion
    let update: Update

    init(
      file: ReusableFile, use: CacheUse, completion: SingleFlight<URLDigest, ReusableFile>.Completion,
      update: Update
    ) {
      self.file = file
      self.use = use
      self.completion = completion
      self.update = update
    }
  }

  /// The file from the cache if it is fresh, otherwise from the server.
  func find(_ url: URLDigest, in store: DirectoryStore, fetch: Fetch) async throws(Failure) -> Lookup {
    let entry = await cacheFile.find(url, known: hot.entry(of: url), in: store) { [self] in isUsable($0) }
    if let entry, let lookup = fresh(entry) { return lookup }
    let download = try await fetch(entry)
    guard download.committed == nil else { return try remember(download, of: url) }
    guard let entry, let file = ReusableFile(entry), let reuse = download.reuse(after: entry),
      await cacheFile.isThere(entry, in: store)
    else {
      // It may no longer be shared, or is gone, or the server means another file.
      return try remember(try await fetch(nil), of: url)
    }
    return remember(entry.renewed(reuse), file: file, reuse: reuse, use: .revalidated)
  }

  func apply(_ update: Lookup.Update, to url: URLDigest, in store: DirectoryStore) async {
    switch update {
    case .none: return
    case .keep(let entry): await cacheFile.put(entry, in: store)
    case .forget: await cacheFile.remove(url, in: store)
    }
  }

  /// - Returns: nil if the server has to be asked.
  @inline(never)
  private func fresh(_ entry: CacheEntry) -> Lookup? {
    guard entry.isFresh(at: WallClock.milliseconds), let file = ReusableFile(entry) else { return nil }
    hot.put(entry.url, .kept(entry, file, checked: .now))
    return Lookup(file: file, use: .hit, completion: .shared(file), update: .none)
  }

  @inline(never)
  private func remember(_ download: Download, of url: URLDigest) throws(Failure) -> Lookup {
    let file = try download.file()
    guard let reuse = download.reuse(), let source = URLDigest(download.source) else {
      hot.put(url, .uncacheable(until: .now + HotEntries.uncacheableLifetime))
      return Lookup(file: file, use: .miss, completion: .unshareable, update: .forget)
    }
    let entry = CacheEntry(url: url, source: source, policy: policy, file: file.forCache, reuse: reuse)
    return remember(entry, file: file, reuse: reuse, use: .miss)
  }

  @inline(never)
  private func remember(_ entry: CacheEntry, file: ReusableFile, reuse: Reuse, use: CacheUse) -> Lookup {
    // Before the others are told, so that payloads that come then find it.
    hot.put(entry.url, .kept(entry, file, checked: .now))
    return Lookup(
      file: file, use: use, completion: reuse.isFresh ? .shared(file) : .staleForLaterCallers(file),
      update: .keep(entry))
  }

  /// What was fetched under other settings might be refused under these.
  private func isUsable(_ entry: CacheEntry) -> Bool {
    guard usablePolicies.contains(entry.policy), let file = ReusableFile(entry) else { return false }
    return file.file.size <= limits[file.format.family]
  }
}
