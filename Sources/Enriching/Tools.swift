internal import Decrypting
internal import Fetching
internal import Sniffing

/// What the steps work with: made once, for all payloads.
struct Tools: Sendable {
  let fetcher: Fetcher
  let sniffer: Sniffer
  let budget: MemoryBudget
  let store: LazyStore
  /// Nil without keys.
  let keys: KeyStore?
  /// Nil without one.
  let cache: MediaCache?

  /// - Throws: `SetupError`.
  init(_ settings: EnrichmentSettings) throws(SetupError) {
    cache = MediaCache(settings)
    let group = ControlGroup.current
    let decrypting = settings.keys == nil ? 0 : MemoryPlan.decrypting
    var plan = MemoryPlan(
      total: min(settings.memory, group?.privateMemory ?? .max),
      buffer: settings.fetching.receiveBufferBytes + decrypting, concurrency: settings.concurrency,
      hasCache: cache != nil)
    let files = OpenFiles(raisedFor: plan.slots)
    if settings.isForOnePayload {
      // It is tried with whatever there is.
      plan.limit(to: max(1, files.slots))
    } else if files.slots < plan.slots {
      guard files.slots > 0 else { throw .openFiles(limit: files.limit) }
      settings.tell(
        "\(files.limit) open files (ulimit -n) are enough for \(files.slots) downloads at once, and not for \(plan.slots)"
      )
      plan.limit(to: files.slots)
    }
    budget = MemoryBudget(
      total: min(settings.memory, group?.mostPrivateMemory ?? .max), slots: plan.slots)
    do throws(FetchError) {
      fetcher = try Fetcher(settings: settings.fetchSettings(plan))
    } catch {
      throw .fetching(error)
    }
    do throws(SnifferError) {
      sniffer = try Sniffer(opensMagicWhenAsked: settings.isForOnePayload)
    } catch {
      throw .sniffing(error)
    }
    if settings.keys != nil || !settings.isForOnePayload {
      do throws(DecryptingError) {
        try SelfTest.run()
      } catch {
        throw .decrypting(error)
      }
    }
    do throws(KeyFileError) {
      keys = if let location = settings.keys { try KeyStore(location, tell: settings.tell) } else { nil }
    } catch {
      throw .keys(error)
    }
    store = LazyStore(settings, unwrittenBytes: group?.unwrittenBytes)
  }
}
