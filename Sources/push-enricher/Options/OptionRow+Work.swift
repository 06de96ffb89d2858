internal import ArgumentParser
internal import Enriching
internal import Working

/// The options of `work` alone. Those of its queues name them for other commands, too.
struct WorkOptions: RowOptions {
  static let rows: [OptionRow] = [
    .from, .to, .deadLetters,
    .flag("until-empty", "Stop when the queue is empty.", \.work.stopsWhenEmpty),
    .status,
    OptionRow(
      "wait-for-queues", "time", "How long to try again, at the start, where a queue is away.",
      default: "0", \.waitingTime, Parse.waitingTime),
    OptionRow(
      "when-store-fails", "way",
      "What becomes of payloads while the store fails: unmodified, or wait, which takes no more until it works.",
      default: "unmodified", \.work.waitsForStore, Parse.isWait),
  ]

  var given: [String: [String]] = [:]
}

extension OptionRow {
  /// All that the environment and the file may give.
  static let all = common + WorkOptions.rows
  /// May hold a password, and so be in a file: containers get secrets like that (`PUSH_ENRICHER_FROM_FILE`).
  static let secrets = [from, to, deadLetters]

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
  ) { $2.status = try StatusChoice($0, from: $1) }
}

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
    // Unless somebody names one.
    enrichment.makesStore = true
  }
}
