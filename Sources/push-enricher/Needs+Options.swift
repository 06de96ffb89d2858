internal import Confining
internal import Enriching
internal import Fetching
internal import Queueing

extension Needs {
  /// What an enricher needs.
  init(_ settings: EnrichmentSettings) throws(OptionError) {
    var paths = AllowedPaths()
    do throws(WideDirectory) {
      try paths.addWritable(settings.spoolDirectory, isMade: settings.makesStore)
    } catch {
      throw OptionError(opening: error, for: "--store \(settings.store)", writing: true)
    }
    if let file = settings.fetching.certificateFile { paths.addReplaceable(file) }
    switch settings.keys {
    case .file(let path)?: paths.addReplaceable(path)
    case .directory(let path)?:
      do throws(WideDirectory) {
        try paths.addReadable(directory: path)
      } catch {
        throw OptionError(opening: error, for: "--keys-dir \(path)", writing: false)
      }
    case nil: break
    }
    self.init(paths: paths)
    connectPorts = settings.fetching.ports
  }

  /// What a queue needs.
  mutating func add(_ queue: QueueChoice) throws(OptionError) {
    guard let needs = queue.needs else { return }
    if let database = needs.database {
      DatabaseCompanions.make(for: database)
      do throws(WideDirectory) {
        try paths?.addWritable(directoryOf: database)
      } catch {
        throw OptionError(opening: error, for: "\(queue)", writing: true)
      }
    }
    if let password = needs.passwordFile { paths?.addReplaceable(password) }
    if let port = needs.port { connectPorts.insert(port) }
  }
}

extension OptionError {
  /// - Parameters:
  ///   - option: with its value.
  ///   - writing: whether the directory would be opened for writing, too.
  fileprivate init(opening directory: WideDirectory, for option: String, writing: Bool) {
    self.init(
      "\(option): the sandbox would have to open \(directory.path) with everything below it, for \(writing ? "writing" : "reading"): use a directory of its own, like /srv/push-enricher"
    )
  }
}

extension CommonOptions {
  /// Confines the process.
  /// - Throws: `OptionError` if the sandbox is required and a part of it is missing.
  func confine(_ needs: Needs, from sources: OptionSources) throws(OptionError) -> Confinement {
    let isRequired =
      try sources.read(.requireSandbox, requireSandbox.map { "\($0)" }, Self.truth) ?? false
    let confinement = Confinement.enforce(needs)
    if isRequired, let missing = confinement.missing {
      throw OptionError(
        "--require-sandbox: this is not in force: \(missing). Use a kernel and a container that have it, or start without --require-sandbox"
      )
    }
    return confinement
  }
}
