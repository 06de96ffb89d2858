internal import ArgumentParser
internal import BuiltInQueueing
internal import Enriching
internal import Fetching
internal import Queueing

/// Options of all commands that use queues, beside their URLs.
struct QueueAccess: RowOptions {
  static let rows: [OptionRow] = [
    OptionRow.caFile.explained(
      "Certificate authorities to trust beside the system's, for queues behind TLS."),
    .config.explained("JSON file of options, which may name the queues."),
  ]

  var given: [String: [String]] = [:]

  func queues(_ sources: OptionSources) throws(CommandError) -> Queues {
    let file = try sources.values([.caFile]).enrichment.fetching.certificateFile
    return Queues(certificateFile: file, warn: { Console.line($0) })
  }
}
