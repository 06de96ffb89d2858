internal import Confining
internal import Connecting
internal import Enriching
internal import Fetching

extension AllowedPaths {
  /// What an enricher needs.
  init(_ settings: EnrichmentSettings) {
    self.init()
    addWritable(settings.store)
    if let file = settings.fetching.certificateFile { addReplaceable(file) }
    switch settings.keys {
    case .file(let path)?: addReplaceable(path)
    case .directory(let path)?: addReadable(path)
    case nil: break
    }
  }

  /// What a queue needs.
  mutating func add(_ files: QueueFiles?) {
    if let database = files?.database { addWritable(directoryOf: database) }
    if let password = files?.passwordFile { addReplaceable(password) }
  }
}
