internal import Caching
internal import Fetching
internal import Storing
internal import Supporting
internal import Synchronization

/// Downloads a URL once for all payloads that name it, now or later, as far as the server lets a
/// shared cache reuse the file (RFC 9111). Encrypted media are fetched for each payload.
final class MediaCache: Sendable {
  /// Fetches a file. Asks the server to confirm `previous`, or for the file if that is nil.
  typealias Fetch = @Sendable (_ previous: CacheEntry?) async throws(Failure) -> Download

  /// Whether there is a cache. If not, each payload fetches for itself, and nothing is counted.
  let isEnabled: Bool
  let hot = HotEntries()
  let downloads = SingleFlight<URLDigest, CachedFile>()
  let cacheFile: CacheFile
  let limits: SizeLimits
  /// A fingerprint of the settings that files are fetched with.
  let policy: UInt64
  /// The same with the User-Agent, for files that depend on it.
  let userAgentPolicy: UInt64
  /// The fingerprints of settings whose files may be reused.
  let usablePolicies: Set<UInt64>
  private let uses = Mutex(CacheCounts())

  init(_ settings: EnrichmentSettings) {
    isEnabled = settings.cacheBytes > 0
    cacheFile = CacheFile(path: settings.cacheFile, bytes: settings.cacheBytes, warn: settings.warn)
    limits = settings.limits
    // Only processes that do not promise durability may reuse a file that is not durable yet.
    let durable = settings.fetching.policyFingerprint
    policy = settings.isDurable ? durable : ~durable
    let userAgent = FNV1a.hash(settings.fetching.userAgent.utf8.span)
    userAgentPolicy = policy ^ userAgent
    usablePolicies = [durable, policy, durable ^ userAgent, userAgentPolicy]
  }

  /// How often the cache helped, or nil if it is off.
  var counts: CacheCounts? { isEnabled ? uses.withLock { $0 } : nil }

  /// - Parameter willWait: called before waiting for another payload's fetch.
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

  /// Finds the file for all payloads that wait for it. If this task is cancelled, another payload
  /// takes over at once.
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
      // The other payloads have the file by now. This one waits, so that the cache keeps a
      // published result across a restart.
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

/// How many media came from each origin since the process started.
package typealias CacheCounts = [CacheUse: Int]

/// Where a medium came from: the cache, the cache after the server confirmed the file, the server,
/// or another payload's fetch. The raw values are stable, because reports and metrics contain them.
package enum CacheUse: String, CaseIterable, Sendable { case hit, revalidated, miss, shared }
