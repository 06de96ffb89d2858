internal import ArgumentParser
internal import BuiltInQueueing
internal import Enriching
internal import Fetching
internal import Queueing
internal import Synchronization

/// Options of all commands that use queues, beside their URLs.
struct QueueAccess: RowOptions {
  static let rows: [OptionRow] = [
    OptionRow.caFile.explained(
      "Certificate authorities to trust beside the system's, for queues behind TLS."),
    .config.explained("JSON file of options, which may name the queues."),
  ]

  var given: [String: [String]] = [:]

  /// Open until the process ends. SQLite removes the files beside a database when the last process closes it,
  /// and the next one would need permission to make them again.
  private static let opened = Mutex<[Queues]>([])

  func queues(_ sources: OptionSources) throws(CommandError) -> Queues {
    let file = try sources.values([.caFile]).enrichment.fetching.certificateFile
    let queues = Queues(certificateFile: file, warn: { Console.line($0) })
    Self.opened.withLock { $0.append(queues) }
    return queues
  }
}
