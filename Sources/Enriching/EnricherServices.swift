internal import Decrypting
internal import Fetching
internal import Sniffing

/// What the steps share: made once, for all payloads.
struct EnricherServices: Sendable {
  let fetcher: Fetcher
  let sniffer: Sniffer
  let slots: TransferSlots
  let memory: MemoryMonitor
  let store: LazyStore
  /// Nil without keys.
  let keys: KeyStore?
  let cache: MediaCache

  /// - Throws: `SetupError`.
  init(_ settings: EnrichmentSettings) throws(SetupError) {
    cache = MediaCache(settings)
    let group = ControlGroup.current
    let decrypting = settings.keys == nil ? 0 : MemoryPlan.decrypting
    var plan = MemoryPlan(
      total: min(settings.memory, group?.privateMemory ?? .max),
      buffer: settings.fetching.receiveBufferBytes + decrypting, concurrency: settings.concurrency,
      hasCache: cache.isEnabled)
    let files = OpenFiles(raisedFor: plan.slots)
    if settings.selfTests == .whenNeeded {
      // One payload is tried with as many as there are.
      plan.limit(to: max(1, files.slots))
    } else if files.slots < plan.slots {
      guard files.slots > 0 else { throw .openFiles(limit: files.limit) }
      settings.warn(
        "\(files.limit) open files (ulimit -n) are enough for \(files.slots) downloads at once, and not for \(plan.slots)"
      )
      plan.limit(to: files.slots)
    }
    memory = MemoryMonitor(total: min(settings.memory, group?.mostPrivateMemory ?? .max))
    slots = TransferSlots(plan.slots, memory: memory.total)
    do throws(FetchError) {
      fetcher = try Fetcher(settings: settings.fetchSettings(plan))
    } catch {
      throw .fetching(error)
    }
    do throws(SnifferError) {
      sniffer = try Sniffer(opensMagicWhenAsked: settings.selfTests == .whenNeeded)
    } catch {
      throw .sniffing(error)
    }
    if settings.keys != nil || settings.selfTests == .atStart {
      do throws(DecryptingError) {
        try SelfTest.run()
      } catch {
        throw .decrypting(error)
      }
    }
    do throws(KeyFileError) {
      keys = if let location = settings.keys { try KeyStore(location, warn: settings.warn) } else { nil }
    } catch {
      throw .keys(error)
    }
    store = LazyStore(settings, unwrittenBytes: group?.unwrittenBytes)
  }
}
