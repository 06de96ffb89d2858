internal import Caching
internal import Fetching
package import Storing
internal import Supporting

/// Values that follow from the settings.
extension EnrichmentSettings {
  /// The smallest size of a cache, in bytes.
  package static let leastCacheBytes = CacheTable.rowBytes

  /// The receive buffer of each transfer, in bytes. From 8 to 64 transfers share half a megabyte. A
  /// large file takes twice as long with reads of 8 KB as with 64 KB.
  package static func receiveBufferBytes(for concurrency: Int) -> Int {
    min(max(524_288 / max(1, concurrency), 8_192), 65_536)
  }

  /// How long the store may be silent before it counts as hanging.
  var storePatience: Duration { min(.seconds(5), deadline / 3) }

  /// Warnings about files that other users can access, with the command that fixes this, and about the store.
  package var storageWarnings: [String] {
    guard let place = try? storePlace else { return [] }
    let spools = place.spoolDirectory
    let file = cacheFile ?? "\(spools)/\(CacheFile.name)"
    let cache = cacheBytes > 0 ? FileExposure.warning(on: [file]) : nil
    // If the operator named the directory, a web server may have to read it too.
    let directory = (makesStore ? FileExposure.directoryWarning(on: spools) : nil)
      .map { "\($0), or name it with --store if another user's web server has to read it" }
    return [cache, directory].compactMap(\.self) + place.warnings
  }

  /// Nil if the operator has said where devices find the stored files.
  package var missingURLWarning: String? {
    publicURL == nil ? (try? storePlace)?.missingURLWarning : nil
  }

  /// What the URL of a stored file starts with if devices can fetch it, else nil.
  package var devicesURL: String? { publicURL ?? (try? storePlace)?.publicURL }

  /// The store, read but not opened.
  package var storePlace: StorePlace {
    get throws(StoreError) { try stores.place(store, spool: spool) }
  }

  func fetchSettings(_ plan: MemoryPlan, _ memory: MemoryMonitor) -> FetchSettings {
    var settings = fetching
    // At least one, because libcurl takes 0 for no limit.
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
    settings.hasRoom = { memory.hasRoom(besides: $0, isOverdue: $1) }
    return settings
  }

  func storeSettings(_ memory: MemoryMonitor, _ group: ControlGroup?) -> StoreSettings {
    var settings = StoreSettings()
    settings.creates = makesStore
    settings.certificateFile = fetching.certificateFile
    settings.isDurable = isDurable
    settings.testsItself = selfTests == .atStart
    settings.unwrittenBytes = group?.unwrittenBytes
    settings.pieceBytes = writeBufferBytes
    settings.warn = warn
    settings.isMemoryPlenty = { memory.isPlenty }
    // A prefix that ends like `?file=` takes the name as a value of its query.
    settings.urlPrefix = publicURL.map {
      $0.hasSuffix("/") || $0.contains("?") && $0.hasSuffix("=") ? $0 : $0 + "/"
    }
    return settings
  }
}
