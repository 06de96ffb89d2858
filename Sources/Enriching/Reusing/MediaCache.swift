internal import Caching
internal import Fetching
internal import Storing
internal import Supporting
internal import Synchronization

/// One download for all payloads that name the same URL, at the same time or later, as far as the server
/// allows a shared cache to reuse it (RFC 9111). Encrypted media are fetched for each payload.
final class MediaCache: Sendable {
  /// Fetches a file. Asks the server to confirm `previous`; nil gets the file in any case.
  typealias Fetch = @Sendable (_ previous: CacheEntry?) async throws(Failure) -> Download

  /// Whether the settings want a cache. Without one, each payload fetches for itself, and nothing is counted.
  let isEnabled: Bool
  let hot = HotEntries()
  let downloads = SingleFlight<URLDigest, CachedFile>()
  let cacheFile: CacheFile
  let limits: SizeLimits
  /// Fingerprint of the settings that files are fetched under.
  let policy: UInt64
  /// Those that a reusable file may have been fetched under.
  let usablePolicies: Set<UInt64>
  private let uses = Mutex(CacheCounts())

  init(_ settings: EnrichmentSettings) {
    isEnabled = settings.cacheBytes > 0
    cacheFile = CacheFile(path: settings.cacheFile, bytes: settings.cacheBytes, warn: settings.warn)
    limits = settings.limits
    // Only processes that do not promise durability may reuse a file that is not durable yet.
    let durable = settings.fetching.policyFingerprint
    policy = settings.isDurable ? durable : ~durable
    usablePolicies = [durable, policy]
  }

  /// How often it helped; nil if it is off.
  var counts: CacheCounts? { isEnabled ? uses.withLock { $0 } : nil }

  /// - Parameter willWait: called before it waits for another payload's fetch.
  @inline(never)  // see `TaskPool`
  func file(
    for progress: MediaProgress, in store: any MediaStore, willWait: () -> Void, fetch: @escaping Fetch
  ) async throws(Failure) -> CachedFile {
    guard isEnabled else { return try await fetch(nil).sentFile() }
    guard case .undeclared = progress.request.protection, let url = URLDigest(progress.request.url) else {
      return try await fetchAlone(for: progress, fetch: fetch)
    }
    switch hot.find(url) {
    case .kept(let entry)?: return record(.hit, of: entry.file, for: progress)
    case .uncacheable?: return try await fetchAlone(for: progress, fetch: fetch)
    case nil: break
    }
    switch await downloads.join(url, willWait: willWait) {
    case .lead(let flight):
      return try await lead(flight: flight, for: progress, url: url, in: store, fetch: fetch)
    case .take(let file): return record(.shared, of: file, for: progress)
    case .fail(let failure): throw failure
    case .fetchAlone: return try await fetchAlone(for: progress, fetch: fetch)
    case .cancelled: throw Failure(.deadlineExceeded, "there was no time left")
    }
  }

  private func fetchAlone(for progress: MediaProgress, fetch: Fetch) async throws(Failure) -> CachedFile {
    record(.miss, of: try await fetch(nil).sentFile(), for: progress)
  }

  /// Finds the file for all payloads that wait for it. If its task is cancelled, another takes over at once.
  private func lead(
    flight: UInt64, for progress: MediaProgress, url: URLDigest, in store: any MediaStore,
    fetch: @escaping Fetch
  ) async throws(Failure) -> CachedFile {
    let result = await withTaskCancellationHandler { () async -> Result<Lookup, Failure> in
      do throws(Failure) {
        return .success(try await find(url, in: store, fetch: fetch))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      downloads.complete(url, flight: flight, with: .abandoned)
    }
    switch result {
    case .success(let lookup):
      downloads.complete(url, flight: flight, with: lookup.completion)
      // After the others have their file, but awaited: a published result is known after a restart.
      if lookup.use != .hit { await cacheFile.set(lookup.entry, of: url, besides: store.spools.path) }
      return record(lookup.use, of: lookup.file, for: progress)
    case .failure(let failure):
      // A deadline failure concerns this payload only: another may have more time left.
      let isOwn = Task.isCancelled || failure.reason == .deadlineExceeded
      downloads.complete(url, flight: flight, with: isOwn ? .abandoned : .failed(failure))
      throw failure
    }
  }

  private func record(_ use: CacheUse, of file: CachedFile, for progress: MediaProgress) -> CachedFile {
    uses.withLock { $0[use, default: 0] += 1 }
    progress.recordCacheUse(use, of: file, limits)
    return file
  }
}

/// How often the cache helped, by media, since the process started.
package typealias CacheCounts = [CacheUse: Int]

/// Where a medium came from: the cache, the cache after the server has confirmed that it has not changed, the
/// server, or another payload that was fetching it. The raw values are stable: they are in reports and
/// metrics.
package enum CacheUse: String, CaseIterable, Sendable { case hit, revalidated, miss, shared }
