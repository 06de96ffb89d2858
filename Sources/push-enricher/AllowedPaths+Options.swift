internal import Confining
internal import Connecting
internal import Enriching
internal import Fetching

extension Places {
  /// What an enricher needs.
  init(_ settings: EnrichmentSettings) {
    self.init()
    addKept(settings.store)
    if let file = settings.fetching.certificateFile { addReplaceable(file) }
    switch settings.keys {
    case .file(let path)?: addReplaceable(path)
    case .directory(let path)?: addDirectory(path)
    case nil: break
    }
  }

  /// What a queue needs.
  mutating func add(_ files: QueueFiles?) {
    if let database = files?.database { addKept(directoryOf: database) }
    if let password = files?.passwordFile { addReplaceable(password) }
  }
}
