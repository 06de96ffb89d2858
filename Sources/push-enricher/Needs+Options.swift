internal import Confining
internal import Enriching
internal import Fetching
internal import Queueing
internal import Serving
internal import Storing

extension Needs {
  init(_ settings: EnrichmentSettings) throws(CommandError) {
    var paths = AllowedPaths()
    let store = try Self.storePlace(of: settings)
    let option = settings.spool.map { "--spool \($0)" } ?? "--store \(settings.store)"
    try Self.opening(option, for: "writing") { () throws(WideDirectory) in
      try paths.addWritable(
        store.spoolDirectory, isMade: settings.makesStore || store.makesSpoolDirectory)
    }
    if let file = settings.cacheFile {
      try Self.opening("--cache-file \(file)", for: "writing") { () throws(WideDirectory) in
        try paths.addWritable(directoryOf: file)
      }
    }
    for file in store.files { paths.addReplaceable(file) }
    if let file = settings.fetching.certificateFile { paths.addReplaceable(file) }
    if let file = settings.categories { paths.addReplaceable(file) }
    switch settings.keys {
    case .file(let path)?: paths.addReplaceable(path)
    case .directory(let path)?:
      try Self.opening("--keys-dir \(path)", for: "reading") { () throws(WideDirectory) in
        try paths.addReadable(directory: path)
      }
    case nil: break
    }
    self.init(paths: paths)
    connectPorts = settings.fetching.ports.union(store.connectPorts)
  }

  mutating func add(_ queue: QueueChoice) throws(CommandError) {
    if let needs = queue.needs { try add(needs, of: "\(queue)") }
  }

  mutating func add(_ needs: QueueNeeds, of queue: String) throws(CommandError) {
    if let database = needs.database {
      DatabaseCompanions.make(for: database)
      try Self.opening(queue, for: "writing") { () throws(WideDirectory) in
        try paths?.addWritable(directoryOf: database)
      }
    }
    if let password = needs.passwordFile { paths?.addReplaceable(password) }
    if let port = needs.port { connectPorts.insert(port) }
    if let port = needs.listenPort {
      calls.insert(.listening)
      listenPorts.insert(port)
    }
  }

  mutating func add(_ status: StatusChoice?) {
    guard let status else { return }
    calls.insert(.listening)
    listenPorts.insert(status.endpoint.port)
  }

  private static func storePlace(of settings: EnrichmentSettings) throws(CommandError) -> StorePlace {
    do throws(StoreError) { return try settings.storePlace } catch {
      throw CommandError("--store \(settings.store): \(error): \(error.advice)")
    }
  }

  private static func opening(
    _ option: String, for use: String, _ body: () throws(WideDirectory) -> Void
  ) throws(CommandError) {
    do throws(WideDirectory) { try body() } catch {
      throw CommandError(
        "\(option): the sandbox would have to open \(error.path) with everything below it, for \(use): use a directory of its own, like /srv/push-enricher"
      )
    }
  }
}

extension OptionValues {
  /// Confines the process. Throws if the sandbox is required and a part of it is missing.
  func confine(_ needs: Needs) throws(CommandError) -> Confinement {
    let confinement = Confinement.enforce(needs)
    guard requiresSandbox, let missing = confinement.missing else { return confinement }
    throw CommandError(
      "--require-sandbox: this is not in force: \(missing). Use a kernel and a container that have it, or start without --require-sandbox"
    )
  }
}
