internal import ArgumentParser
internal import Enriching
internal import Fetching
internal import Queueing
internal import S3Storing
internal import Storing
internal import Working

/// The options of `work` alone. In the environment and the file, its queues are for all commands.
struct WorkOptions: RowOptions {
  static let rows: [OptionRow] =
    [
      .from, .to, .deadLetters,
      OptionRow(
        "door-token-file", "file",
        "File with the bearer token that clients of a door send (--from http://ADDRESS:PORT)."
      ) { text, _, values in values.doorToken = try PasswordFile.read(text, secret: "token") },
      .deadTokens, .untilEmpty, .status, .waitForQueues,
      OptionRow(
        "when-store-fails", "way",
        "What to do while the store fails: unmodified, to publish payloads without media, or wait, to take no more until it works.",
        default: "unmodified", \.work.waitsForStore, Parse.isWait),
    ] + OptionRow.pushQueueing

  var given: [String: [String]] = [:]
}

extension OptionRow {
  /// Every option that the environment and the file may set.
  static let all = common + WorkOptions.rows
  /// Options that may hold a password. `PUSH_ENRICHER_FROM_FILE` and its like name a file with the
  /// value, because that is how containers get secrets.
  static let secrets = [from, to, deadLetters, deadTokens, pushQueue]

  // `QueueChoice` reads these.
  static let from = OptionRow(
    "from", "url", "Queue to take from.", default: "sqlite:push-enricher.db?queue=incoming")
  static let to = OptionRow(
    "to", "url", "Queue to publish into.", default: "sqlite:push-enricher.db?queue=enriched")
  static let deadLetters = OptionRow(
    "dead-letters", "url", "Queue for messages that somebody has to look at.",
    default: "dead-letters beside the queue of --from")

  static let deadTokens = OptionRow(
    "dead-tokens", "url", "Queue for device tokens that APNs calls dead (--to apns://…).",
    default: "their messages become dead letters")

  static let untilEmpty = flag("until-empty", "Stop when the queue is empty.", \.work.stopsWhenEmpty)
  static let waitForQueues = OptionRow(
    "wait-for-queues", "time", "How long to keep trying, at the start, if a queue cannot be reached.",
    default: "0", \.waitingTime, Parse.waitingTime)

  static let status = OptionRow(
    "status", "address:port",
    "Where to serve its status over HTTP, as a page, /metrics, /healthz and /readyz: 127.0.0.1:8080."
  ) { $2.status = try StatusChoice($0, from: $1) }
}

struct OptionValues {
  /// CDNs block programs that do not name their version.
  private static var defaults: EnrichmentSettings {
    var settings = EnrichmentSettings()
    settings.fetching.userAgent = "push-enricher/\(PushEnricher.version)"
    return settings
  }

  var enrichment = OptionValues.defaults
  var work = WorkSettings()
  var requiresSandbox = false
  /// Where the status is served, or nil if it is not.
  var status: StatusChoice?
  /// The token that clients of a door must send. Nil if they need none.
  var doorToken: String?
  var pushQueue = PushQueueValues()
  /// How long to keep trying, at the start, if a queue cannot be reached.
  var waitingTime = Duration.zero

  init() {
    enrichment.warn = { Console.line($0) }
    enrichment.stores = [.s3(ProcessEnvironment.variables)] + StoreKind.known
    // Only the default store is made if it is missing: `--store` sets this to false.
    enrichment.makesStore = true
  }
}
