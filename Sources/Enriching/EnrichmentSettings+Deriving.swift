internal import Caching
internal import Fetching
internal import Storing
internal import Supporting

/// What follows from the settings.
extension EnrichmentSettings {
  /// The smallest size of a cache, in bytes.
  package static let leastCacheBytes = CacheTable.rowBytes

  /// The receive buffer of each transfer, in bytes: half a megabyte for 8 to 64 of them together. A large
  /// file takes twice as long with reads of 8 KB as with 64 KB.
  package static func receiveBufferBytes(for concurrency: Int) -> Int {
    min(max(524_288 / max(1, concurrency), 8_192), 65_536)
  }

  /// How long the store may be silent before it counts as hanging.
  var storePatience: Duration { min(.seconds(5), deadline / 3) }

  /// Tells the operator which files others may get at, and the command that mends it.
  package var exposureWarnings: [String] {
    let file = cacheFile ?? "\(spoolDirectory)/\(CacheFile.name)"
    let cache = cacheBytes > 0 ? FileExposure.warning(on: [file]) : nil
    // A directory that the operator has named may be for a web server as well.
    let directory = (makesStore ? FileExposure.directoryWarning(on: spoolDirectory) : nil)
      .map { "\($0), or name it with --store if a web server of another user is to read there" }
    return [cache, directory].compactMap(\.self)
  }

  /// The directory on this machine that media arrive in.
  package var spoolDirectory: String { StoreKind.of(store, among: stores).spoolDirectory(store) }
  var writer: ResultWriter { ResultWriter(modes: writing, key: attachmentsKey, mediaKeys: mediaKeys) }

  func fetchSettings(_ plan: MemoryPlan, _ memory: MemoryMonitor) -> FetchSettings {
    var settings = fetching
    // At least one: libcurl takes 0 for no limit.
    settings.concurrency = max(1, plan.slots)
    settings.hosts = hosts
    if var hosts {
      hosts.transfers = settings.concurrency
      // A short deadline leaves less time to find out that a host is dead.
      hosts.answerTimeout = min(hosts.answerTimeout, deadline / 3)
      hosts.longestWait = min(hosts.longestWait, deadline / 6)
      hosts.patience = min(hosts.patience, deadline / 12)
      settings.hosts = hosts
    }
    settings.offersHTTP2 = plan.offersHTTP2
    settings.maximumBodyBytes = limits.largest
    settings.hasRoom = { memory.hasRoom(besides: $0) }
    return settings
  }

  func storeSettings(_ memory: MemoryMonitor, _ group: ControlGroup?) -> StoreSettings {
    var settings = StoreSettings()
    settings.creates = makesStore
    settings.isDurable = isDurable
    settings.testsItself = selfTests == .atStart
    settings.unwrittenBytes = group?.unwrittenBytes
    settings.pieceBytes = writeBufferBytes
    settings.isMemoryPlenty = { memory.isPlenty }
    // In a query, the name may be a value.
    settings.urlPrefix = publicURL.map {
      $0.hasSuffix("/") || $0.contains("?") && $0.hasSuffix("=") ? $0 : $0 + "/"
    }
    return settings
  }
}
