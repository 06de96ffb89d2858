internal import ArgumentParser
internal import CLinux
internal import Confining
internal import Enriching
internal import Fetching
internal import Logging

struct WorkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "work",
    abstract:
      "Takes payloads from a queue, enriches them and publishes what came of them, until told to stop.",
    discussion: """
      SIGTERM, SIGINT and SIGHUP stop it from taking more; what is in flight is finished and published first. A second one ends it at \
      once: what is in flight is handed out again then. Nothing is lost either way.
      """)

  @Option(
    help: ArgumentHelp(
      "Queue to take from. (default: sqlite:push-enricher.db?queue=incoming)", valueName: "url"))
  var from: String?
  @Option(
    help: ArgumentHelp(
      "Queue to publish into. (default: sqlite:push-enricher.db?queue=enriched)", valueName: "url"))
  var to: String?
  @Option(
    help: ArgumentHelp(
      "Queue for what somebody has to look at. (default: dead-letters beside the queue of --from)",
      valueName: "url"))
  var deadLetters: String?
  @Flag(inversion: .prefixedNo, help: "Stop when the queue is empty. (default: --no-until-empty)")
  var untilEmpty: Bool?
  @Option(
    help: ArgumentHelp(
      "Where to tell over HTTP how it is, as a page, as /metrics, /healthz and /readyz: 127.0.0.1:8080.",
      valueName: "address:port"))
  var status: String?
  @Option(
    help: ArgumentHelp(
      "How long to try again, at the start, where a queue is away. (default: 0)", valueName: "time"))
  var waitForQueues: String?
  @Option(
    help: ArgumentHelp(
      "What becomes of payloads while the store fails: unmodified, or wait, which takes no more until it works. (default: unmodified)",
      valueName: "way"))
  var whenStoreFails: String?
  @OptionGroup var common: CommonOptions

  /// Runs while there is only one thread: later threads inherit its restrictions.
  func run() {
    Self.keepHeapSmall()
    Self.keepTurnsWhole()
    let sources = OptionSources.ofProcess(file: common.config)
    let plan = OptionError.orExit { () throws(OptionError) in try self.plan(sources) }
    let confinement = OptionError.orExit { () throws(OptionError) in
      try common.confine(plan.needs(), from: sources)
    }
    Task.detached(priority: .medium) { await WorkService(plan, in: confinement).runToEnd() }
  }

  private func plan(_ sources: OptionSources) throws(OptionError) -> WorkPlan {
    let settings = try settings(sources)
    let source = QueueChoice(.incoming, option: "--from", from, in: sources)
    let target = QueueChoice(.enriched, option: "--to", to, in: sources)
    let letters = QueueChoice(
      .deadLetters, option: "--dead-letters", deadLetters, in: sources, beside: source)
    for (queue, contents) in [(target, "results"), (letters, "dead letters")]
    where source.isSameQueue(as: queue) {
      throw OptionError(
        "\(queue): is the queue that --from names: \(contents) would be taken again, for ever")
    }
    try source.check(hasCompanion: target)
    try target.check(hasCompanion: source)
    return WorkPlan(
      settings: settings, source: source, target: target, deadLetters: letters,
      statusChoice: StatusChoice(commandLine: status, in: sources),
      stopsWhenEmpty: try sources.read(.untilEmpty, untilEmpty.map { "\($0)" }, CommonOptions.truth) ?? false,
      waitingTime: try sources.read(.waitForQueues, waitForQueues, Self.waitingTime) ?? .zero,
      waitsForStore: try sources.read(.whenStoreFails, whenStoreFails, Self.waiting) ?? false)
  }

  private static func waitingTime(_ text: String) throws(OptionError) -> Duration {
    ["0", "0s"].contains(text) ? .zero : try TimeSpan.parse(text)
  }

  private static func waiting(_ text: String) throws(OptionError) -> Bool {
    switch text {
    case "wait": true
    case "unmodified": false
    default: throw OptionError("'\(text)' is neither unmodified nor wait")
    }
  }

  /// Has freed memory returned to the kernel soon: large pieces at once, such as OpenSSL's 21 KB for each
  /// handshake, and the end of the heap.
  private static func keepHeapSmall() {
    mallopt(M_MMAP_THRESHOLD, 20_480)
    mallopt(M_TRIM_THRESHOLD, 65_536)
    mallopt(M_TOP_PAD, 65_536)
  }

  /// Has a thread that is woken wait for its turn (sched(7), `SCHED_BATCH`), instead of interrupting the one
  /// that has woken it: that one is a moment from having more for it to do.
  private static func keepTurnsWhole() {
    // Where it is refused, all works the same, with twice as many changes of threads.
    schedule_as_batch()
  }

  private func settings(_ sources: OptionSources) throws(OptionError) -> EnrichmentSettings {
    var settings = try common.settings(from: sources)
    settings.fetching.receiveBufferBytes = EnrichmentSettings.receiveBufferBytes(for: settings.concurrency)
    let log = ConsoleLog.logger()
    settings.warn = { log.warning("\($0)") }
    // A timer may be late on a busy machine, and the result must not.
    settings.deadline -= min(.milliseconds(100), settings.deadline / 10)
    return settings
  }
}
