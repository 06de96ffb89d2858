internal import ArgumentParser
internal import Enriching
internal import Working

/// The options of `work` alone. Those of its queues name them for other commands, too.
struct WorkOptions: RowOptions {
  static let rows = OptionRow.ofWork

  var given: [String: [String]] = [:]
}

extension OptionRow {
  /// All that the environment and the file may give.
  static let all = common + ofWork
  /// Those that may hold a password. Their value can also be in a file that `PUSH_ENRICHER_FROM_FILE` names,
  /// which is how containers get secrets.
  static let secrets = [from, to, deadLetters]

  fileprivate static let ofWork: [OptionRow] = [
    from, to, deadLetters,
    .flag("until-empty", "Stop when the queue is empty.") { $0.work.stopsWhenEmpty = $1 },
    status,
    OptionRow(
      "wait-for-queues", "time", "How long to try again, at the start, where a queue is away.",
      default: "0", Parse.waitingTime
    ) { $0.waitingTime = $1 },
    OptionRow(
      "when-store-fails", "way",
      "What becomes of payloads while the store fails: unmodified, or wait, which takes no more until it works.",
      default: "unmodified", Parse.isWait
    ) { $0.work.waitsForStore = $1 },
  ]

  // `QueueChoice` reads these.
  static let from = OptionRow(
    "from", "url", "Queue to take from.", default: "sqlite:push-enricher.db?queue=incoming")
  static let to = OptionRow(
    "to", "url", "Queue to publish into.", default: "sqlite:push-enricher.db?queue=enriched")
  static let deadLetters = OptionRow(
    "dead-letters", "url", "Queue for what somebody has to look at.",
    default: "dead-letters beside the queue of --from")

  static let status = OptionRow(
    "status", "address:port",
    "Where to tell over HTTP how it is, as a page, as /metrics, /healthz and /readyz: 127.0.0.1:8080."
  ) { (text, origin, values) throws(CommandError) in
    values.status = try StatusChoice(text, from: origin)
  }
}

/// What the options say; where there is none, the default.
struct OptionValues {
  var enrichment = EnrichmentSettings()
  var work = WorkSettings()
  var requiresSandbox = false
  /// Where the status is served; nil for nowhere.
  var status: StatusChoice?
  /// How long to try again, at the start, if a queue is away.
  var waitingTime = Duration.zero

  init() {
    enrichment.warn = { Console.line($0) }
    // Not one that somebody has named.
    enrichment.makesStore = true
  }
}
