internal import ArgumentParser
internal import CLinux
internal import Confining
internal import Connecting
internal import Enriching
internal import Fetching
internal import Logging
internal import Measuring
internal import Queueing
internal import ServiceLifecycle
internal import Working

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
      "Queue for what somebody has to look at. (default: sqlite:push-enricher.db?queue=dead-letters)",
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
  @OptionGroup var common: CommonOptions

  /// Runs while there is only one thread: later threads inherit its restrictions.
  func run() {
    Self.keepHeapSmall()
    let settings = settings()
    let sources = OptionSources.ofProcess(file: common.config)
    let source = QueueChoice(.incoming, option: "--from", from, in: sources)
    let target = QueueChoice(.enriched, option: "--to", to, in: sources)
    let letters = QueueChoice(.deadLetters, option: "--dead-letters", deadLetters, in: sources)
    for (queue, contents) in [(target, "results"), (letters, "dead letters")]
    where source.isSameQueue(as: queue) {
      ExitStatus.usage.end(
        "\(queue): is the queue that --from names: \(contents) would be taken again, for ever")
    }
    let statusChoice = StatusChoice(commandLine: self.status, in: sources)
    let stopsWhenEmpty = stopsWhenEmpty(sources)
    let waitingTime = waitingTime(sources)
    var paths = AllowedPaths(settings)
    for queue in [source, target, letters] { paths.add(queue.files) }
    let confinement = Confinement.enforce(paths)
    Task.detached(priority: .medium) {
      await Self.work(
        settings, from: source, to: target, deadLetters: letters, waitingUpTo: waitingTime,
        stopsWhenEmpty: stopsWhenEmpty, statusAt: statusChoice, confinement: confinement)
    }
  }

  private static func work(
    _ settings: EnrichmentSettings, from source: QueueChoice, to target: QueueChoice,
    deadLetters letters: QueueChoice, waitingUpTo waitingTime: Duration, stopsWhenEmpty: Bool,
    statusAt statusChoice: StatusChoice?, confinement: Confinement
  ) async {
    let log = ConsoleLog.logger()
    let status = WorkStatus()
    let measurements = Measurements()
    let leaseDuration = QueueLease.chosenDuration
    let queues = Queues(
      leaseDuration: leaseDuration, certificateFile: settings.fetching.certificateFile,
      tell: { log.warning("\($0)") })
    var work = WorkSettings()
    work.concurrency = settings.concurrency
    work.deadline = settings.deadline
    work.leaseDuration = leaseDuration
    work.stopsWhenEmpty = stopsWhenEmpty
    let service = WorkService(log: log) { [work] in
      let exit: (ExitStatus, String) -> Never = { ConsoleLog.end($0, $1) }
      let enricher = Enricher.orExit(settings: settings, exit)
      let board = StatusBoard(
        status: status, measurements: measurements, backlog: BacklogWatch(), enricher: enricher,
        places: Worker.maximumInFlight(work, enricher), source: source.label, target: target.label,
        deadLetters: letters.label, confinement: confinement)
      await check(enricher)
      let end = ContinuousClock.now + waitingTime
      var isWaiting = false
      func open(_ choice: QueueChoice) async -> any Queue {
        await choice.open(
          in: queues, until: end,
          onRetry: { error in
            guard !isWaiting else { return }
            isWaiting = true
            log.warning("a queue is away, waiting for it", metadata: ["error": "\(choice): \(error)"])
            if let statusChoice {
              await StatusService.start(at: statusChoice, pages: StatusPages.all(of: board), log: log)
            }
          }, exit: exit)
      }
      let sourceQueue = await open(source)
      board.backlog.begin(with: sourceQueue)
      let worker = Worker(
        enricher: enricher, from: sourceQueue, to: await open(target), deadLetters: await open(letters),
        settings: work, log: WorkLog(log, queue: source.label?.name), status: status,
        measurements: measurements)
      // Last, so that a worker that cannot begin shows no status, only its error.
      if let statusChoice, !isWaiting {
        await StatusService.start(at: statusChoice, pages: StatusPages.all(of: board), log: log)
      }
      confinement.tell(log)
      for variable in OptionSources.unknownVariables(
        ProcessEnvironment.variables, names: CommonOptions.names)
      {
        log.warning("the environment has an option that there is not", metadata: ["variable": "\(variable)"])
      }
      return worker
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
        logger: ConsoleLog.silent))
    await StopSignals.watch { [limit = work.longestStop] in
      await group.triggerGracefulShutdown()
      endAnyhow(after: limit, without: status)
    }
    do {
      try await group.run()
    } catch let error as QueueError {
      ConsoleLog.end(.unavailable, "\(error)")
    } catch {
      ConsoleLog.end(.defect, "the worker ended: \(error)")
    }
    ConsoleLog.end(.done)
  }

  /// Ends the process if the worker does not, and no queue takes anything: a write into a pipe that nobody
  /// reads cannot be cancelled.
  private static func endAnyhow(after limit: Duration, without progress: WorkStatus) {
    Task {
      var end = ContinuousClock.now + limit
      while .now < end {
        try await Task.sleep(until: end, clock: .continuous)
        if let last = progress.lastPublication { end = max(end, last + limit) }
      }
      ConsoleLog.end(
        .unavailable,
        "told to stop, and no result has been taken for \(limit): what is in flight is handed out again, unless it came as lines"
      )
    }
  }

  /// Ends the process if the store cannot be written to, or the memory is too little for any medium:
  /// otherwise every payload would go out without its media.
  private static func check(_ enricher: Enricher) async {
    let failures = [enricher.memoryFailure, await enricher.storeFailure()]
    if let failure = failures.compactMap(\.self).first {
      ExitStatus.usage.end("\(failure.detail): \(failure.advice)")
    }
  }

  private func stopsWhenEmpty(_ sources: OptionSources) -> Bool {
    let commandLine = untilEmpty.map { ["\($0)"] } ?? []
    guard let found = sources.find("until-empty", commandLine: commandLine) else { return false }
    do throws(OptionError) {
      return try CommonOptions.truth(found.values.joined(separator: ","))
    } catch {
      ExitStatus.usage.end("\(found.origin): \(error)")
    }
  }

  private func waitingTime(_ sources: OptionSources) -> Duration {
    let commandLine = waitForQueues.map { [$0] } ?? []
    guard let found = sources.find("wait-for-queues", commandLine: commandLine) else { return .zero }
    let text = found.values.joined(separator: ",")
    do throws(OptionError) {
      return ["0", "0s"].contains(text) ? .zero : try TimeSpan.parse(text)
    } catch {
      ExitStatus.usage.end("\(found.origin): \(error)")
    }
  }

  /// Has freed memory returned to the kernel soon: large pieces at once, such as OpenSSL's 21 KB for each
  /// handshake, and the end of the heap.
  private static func keepHeapSmall() {
    mallopt(M_MMAP_THRESHOLD, 20_480)
    mallopt(M_TRIM_THRESHOLD, 65_536)
    mallopt(M_TOP_PAD, 65_536)
  }

  private func settings() -> EnrichmentSettings {
    do throws(OptionError) {
      var settings = try common.settings(environment: ProcessEnvironment.variables)
      settings.fetching.receiveBufferBytes = EnrichmentSettings.receiveBufferBytes(for: settings.concurrency)
      let log = ConsoleLog.logger()
      settings.warn = { log.warning("\($0)") }
      // A timer may be late on a busy machine, and the result must not.
      settings.deadline -= min(.milliseconds(100), settings.deadline / 10)
      return settings
    } catch {
      ExitStatus.usage.end("\(error)")
    }
  }
}

/// Adapts the worker to the service group, from before its queues are open.
private struct WorkService: Service {
  let log: Logger
  let begin: @Sendable () async -> Worker

  func run() async throws {
    let worker = await withGracefulShutdownHandler {
      await begin()
    } onGracefulShutdown: {
      // A queue that is away may hold a thread for long.
      log.info("told to stop before anything was taken")
      ConsoleLog.end(.done)
    }
    try await worker.run()
  }
}

extension Confinement {
  /// Logs once what is in force, as a warning if something is missing.
  fileprivate func tell(_ log: Logger) {
    var metadata: Logger.Metadata = ["in_force": "\(inForce)"]
    if let missing { metadata["missing"] = "\(missing)" }
    log.log(level: missing == nil ? .info : .warning, "sandbox", metadata: metadata)
  }
}
