internal import ArgumentParser
internal import BuiltInQueueing
internal import Enriching
internal import Fetching
internal import Queueing
internal import Synchronization

/// The options of every command that uses queues, apart from the URLs.
struct QueueAccess: RowOptions {
  static let rows: [OptionRow] = [
    OptionRow.caFile.explained(
      "Certificate authorities to trust in addition to the system's, for queues behind TLS."),
    .config.explained("JSON file of options, which may name the queues."),
  ]

  var given: [String: [String]] = [:]

  /// Kept open until the process ends. When the last process closes a database, SQLite removes the
  /// files beside it, and the next process would need permission to make them again.
  private static let opened = Mutex<[Queues]>([])

  func queues(_ sources: OptionSources) throws(CommandError) -> Queues {
    let file = try sources.values([.caFile]).enrichment.fetching.certificateFile
    let queues = Queues(certificateFile: file, warn: { Console.line($0) })
    Self.opened.withLock { $0.append(queues) }
    return queues
  }
}
