internal import Caching
internal import Decrypting
internal import Fetching
internal import Sniffing
internal import Storing
internal import Supporting

/// What the steps share. Made once for all payloads.
struct EnricherServices: Sendable {
  let fetcher: Fetcher
  let sniffer: Sniffer
  /// Why there can never be a place for a download, or nil if there is at least one.
  let memoryFailure: Failure?
  let memory: MemoryMonitor
  let store: LazyStore
  let keys: KeyStore?
  let categories: CategoryStore?
  let cache: MediaCache

  init(_ settings: EnrichmentSettings) throws(SetupError) {
    if let file = settings.cacheFile, settings.cacheBytes > 0 {
      try rethrowing(as: SetupError.cacheFile) { () throws(CacheError) in try CacheTable.check(file) }
    }
    cache = MediaCache(settings)
    let group = ControlGroup.current
    let place = Result { () throws(StoreError) in try settings.storePlace }
    let others = try? place.get()
    var plan = MemoryPlan(
      total: min(settings.memory, group?.privateMemory ?? .max),
      buffer: settings.fetching.receiveBufferBytes, concurrency: settings.concurrency,
      hasCache: cache.isEnabled, hasKeys: settings.keys != nil,
      besides: settings.door.memory + (others?.memory ?? 0))
    let files = OpenFiles(
      raisedFor: plan.slots, besides: settings.door.connections + (others?.connections ?? 0))
    if settings.selfTests == .whenNeeded {
      // A single payload makes do with the files that there are.
      plan.limit(to: max(1, files.slots))
    } else if files.slots < plan.slots {
      guard files.slots > 0 else { throw .openFiles(limit: files.limit) }
      settings.warn(
        "\(files.limit) open files (ulimit -n) are enough for \(files.slots) downloads at once, and not for \(plan.slots)"
      )
      plan.limit(to: files.slots)
    }
    memory = MemoryMonitor(
      total: min(settings.memory, group?.mostPrivateMemory ?? .max),
      planned: min(settings.memory, group?.privateMemory ?? .max))
    let isConfined = group.map { $0.privateMemory < settings.memory } ?? false
    memoryFailure =
      plan.slots > 0
      ? nil
      : Failure(
        .memoryExceeded, "\(memory.total.asBytes) is too little memory for a single download",
        advice: isConfined
          ? "raise the memory limit of the container or service" : "allow more with --memory")
    fetcher = try rethrowing(as: SetupError.fetching) { [memory] () throws(FetchError) in
      try Fetcher(settings: settings.fetchSettings(plan, memory))
    }
    sniffer = try rethrowing(as: SetupError.sniffing) { () throws(SnifferError) in
      try Sniffer(opensMagicWhenAsked: settings.selfTests == .whenNeeded)
    }
    if settings.keys != nil || settings.selfTests == .atStart {
      try rethrowing(as: SetupError.decrypting) { () throws(DecryptingError) in try SelfTest.run() }
    }
    keys = try rethrowing(as: SetupError.keys) { () throws(KeyFileError) in
      if let location = settings.keys { try KeyStore(location, warn: settings.warn) } else { nil }
    }
    categories = try rethrowing(as: SetupError.categories) { () throws(CategoriesFileError) in
      if let path = settings.categories { try CategoryStore(path, warn: settings.warn) } else { nil }
    }
    store = LazyStore(place, settings.storeSettings(memory, group))
  }
}
