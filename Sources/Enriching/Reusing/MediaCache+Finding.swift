internal import Caching
internal import Fetching
internal import Sniffing
internal import Storing
internal import Supporting

extension MediaCache {
  /// What a flight has found.
  struct Found: Sendable {
    /// What the cache's file is to know of it.
    enum Note: Sendable { case nothing, keep(CacheEntry), forget }

    let file: ReusableFile
    let use: CacheUse
    let landing: Flights<URLDigest, ReusableFile>.Landing
    let note: Note
  }

  /// The file as it is known and fresh, or as the server has it.
  func find(_ url: URLDigest, _ store: DirectoryStore, _ fetch: Fetch) async throws(Failure) -> Found {
    var known: CacheEntry?
    if case .kept(let entry, _, _)? = hot.find(url) { known = entry }
    let entry = await file.find(url, known: known, in: store) { [self] in isUsable($0) }
    if let entry, entry.isFresh(at: WallClock.milliseconds), let file = ReusableFile(entry) {
      hot.put(url, .kept(entry, file, seen: .now))
      return Found(file: file, use: .hit, landing: .shared(file), note: .nothing)
    }
    let download = try await fetch(entry)
    guard download.kept == nil else { return try found(download, url) }
    guard let entry, let file = ReusableFile(entry), let reuse = download.reuse(after: entry),
      await self.file.isThere(entry, in: store)
    else {
      // It may not be kept any more, or is gone, or the server speaks of another one.
      return try found(try await fetch(nil), url)
    }
    return found(entry.renewed(reuse), file, reuse, .revalidated)
  }

  func note(_ found: Found, of url: URLDigest, in store: DirectoryStore) async {
    switch found.note {
    case .nothing: return
    case .keep(let entry): await file.put(entry, in: store)
    case .forget: await file.remove(url, in: store)
    }
  }

  private func found(_ download: Download, _ url: URLDigest) throws(Failure) -> Found {
    let file = try download.file()
    guard let reuse = download.reuse(), let source = URLDigest(download.source) else {
      hot.put(url, .own(until: .now + HotEntries.reserve))
      return Found(file: file, use: .miss, landing: .own, note: .forget)
    }
    let entry = CacheEntry(url: url, source: source, terms: terms, file: file.forCache, reuse: reuse)
    return found(entry, file, reuse, .miss)
  }

  private func found(_ entry: CacheEntry, _ file: ReusableFile, _ reuse: Reuse, _ use: CacheUse) -> Found {
    // Before those who wait are told: who comes then finds it.
    hot.put(entry.url, .kept(entry, file, seen: .now))
    return Found(
      file: file, use: use, landing: reuse.isFresh ? .shared(file) : .past(file), note: .keep(entry))
  }

  /// What was fetched under other settings might be refused under these.
  private func isUsable(_ entry: CacheEntry) -> Bool {
    guard usableTerms.contains(entry.terms), let file = ReusableFile(entry) else { return false }
    return file.file.size <= limits[file.format.family]
  }
}
