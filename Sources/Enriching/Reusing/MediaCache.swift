internal import Caching
internal import Fetching
internal import Sniffing
internal import Storing
internal import Supporting
internal import Synchronization

/// One download for all payloads that name the same URL: for those that come at the same time, and for those that come later, as far as
/// the server allows a shared cache to reuse it (RFC 9111).
///
/// What is encrypted is none of its business: that is fetched for each payload.
final class MediaCache: Sendable {
  /// - Parameter previous: what the server is to be asked about; nil to have the file in any case.
  typealias Fetch = @Sendable (_ previous: CacheEntry?) async throws(Failure) -> Download

  let hot = HotEntries()
  let flights = Flights<URLDigest, ReusableFile>()
  let file: CacheFile
  let limits: SizeLimits
  /// Of what is fetched now, and of what may be reused.
  let terms: UInt64
  let usableTerms: Set<UInt64>
  private let uses = Mutex(CacheCounts())

  /// - Returns: nil where the settings want none.
  init?(_ settings: EnrichmentSettings) {
    guard let bytes = settings.cacheBytes, bytes > 0 else { return nil }
    file = CacheFile(bytes: bytes, tell: settings.tell)
    limits = settings.limits
    // What a power cut may still take away is for those only who do not promise more either.
    let durable = settings.fetching.terms
    terms = settings.isDurable ? durable : ~durable
    usableTerms = [durable, terms]
  }

  var counts: CacheCounts { uses.withLock { $0 } }

  /// The file behind the medium's URL.
  /// - Parameter willWait: called before it waits for another payload's fetch.
  func file(
    for medium: MediaRun, in store: DirectoryStore, willWait: () -> Void, fetch: @escaping Fetch
  ) async throws(Failure) -> ReusableFile {
    guard case .unsaid = medium.medium.protection, let url = URLDigest(medium.medium.url) else {
      return try await fetchAlone(medium, fetch)
    }
    switch hot.find(url) {
    case .kept(let entry, let file, let seen)?
    where seen.duration(to: .now) < HotEntries.trust && entry.isFresh(at: WallClock.milliseconds):
      return took(file, medium, .hit)
    case .own(let end)? where .now < end: return try await fetchAlone(medium, fetch)
    default: break
    }
    switch await flights.join(url, willWait: willWait) {
    case .lead(let number): return try await lead(number, medium, url, store, fetch)
    case .take(let file): return took(file, medium, .shared)
    case .fail(let failure): throw failure
    case .own: return try await fetchAlone(medium, fetch)
    case .cancelled: throw Failure(.deadlineExceeded, "there was no time left")
    }
  }

  private func fetchAlone(_ medium: MediaRun, _ fetch: Fetch) async throws(Failure) -> ReusableFile {
    took(try await fetch(nil).file(), medium, .miss)
  }

  /// Finds the file for all who wait for it. Whoever is cancelled meanwhile hands over at once, also if something is stuck.
  private func lead(
    _ number: UInt64, _ medium: MediaRun, _ url: URLDigest, _ store: DirectoryStore, _ fetch: @escaping Fetch
  ) async throws(Failure) -> ReusableFile {
    let found = await withTaskCancellationHandler { () async -> Result<Found, Failure> in
      do throws(Failure) {
        return .success(try await find(url, store, fetch))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      flights.land(url, number: number, .abandoned)
    }
    switch found {
    case .success(let found):
      flights.land(url, number: number, found.landing)
      // Not on the time of those who wait. Awaited all the same: what has been published is known after a restart.
      await note(found, of: url, in: store)
      return took(found.file, medium, found.use)
    case .failure(let failure):
      // Of its own time, another may have more.
      let isOwn = Task.isCancelled || failure.reason == .deadlineExceeded
      flights.land(url, number: number, isOwn ? .abandoned : .failed(failure))
      throw failure
    }
  }

  private func took(_ file: ReusableFile, _ medium: MediaRun, _ use: CacheUse) -> ReusableFile {
    uses.withLock { $0.add(use) }
    medium.note(use, file, limit: limits[file.format.family])
    return file
  }
}
