internal import ArgumentParser
internal import CLinux
internal import Connecting
internal import Enriching
internal import Logging
internal import Fetching
internal import Queueing
internal import ServiceLifecycle
internal import Working

struct WorkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "work",
    abstract:
      "Takes payloads from a queue, enriches them and publishes what came of them, until told to stop.",
    discussion: """
      SIGTERM and SIGINT stop it from taking more; what is in flight is finished and published first. A second one ends it at \
      once: what is in flight is handed out again then. Nothing is lost either way.
      """)

  @Option(help: ArgumentHelp("Queue to take from.", valueName: "url"))
  var from = QueueDefaults.incoming
  @Option(help: ArgumentHelp("Queue to publish into.", valueName: "url"))
  var to = QueueDefaults.enriched
  @Option(help: ArgumentHelp("Queue for what somebody has to look at.", valueName: "url"))
  var deadLetters = QueueDefaults.deadLetters
  @Flag(help: "Stop when the queue is empty.")
  var untilEmpty = false
  @OptionGroup var common: CommonOptions

  func run() async {
    Self.keepHeapSmall()
    let settings = settings()
    if let from = try? QueueURL(from, defaultQueue: "incoming"),
      let to = try? QueueURL(to, defaultQueue: "enriched"),
      from.isSameQueue(as: to, defaultQueues: ("incoming", "enriched"))
    {
      ExitStatus.usage.end(
        "--to \(self.to.withoutPassword): is the queue that --from names: results would be taken again, for ever"
      )
    }
    let leaseDuration = QueueDefaults.leaseDuration
    let queues = Queues(
      leaseDuration: leaseDuration, certificateFile: settings.fetching.certificateFile)
    var work = WorkSettings()
    work.concurrency = settings.concurrency
    work.deadline = settings.deadline
    work.leaseDuration = leaseDuration
    work.stopsWhenEmpty = untilEmpty
    let worker = Worker(
      enricher: Enricher.orExit(settings: settings),
      from: queues.orExit("--from", from, defaultQueue: "incoming"),
      to: queues.orExit("--to", to, defaultQueue: "enriched"),
      deadLetters: queues.orExit("--dead-letters", deadLetters, defaultQueue: "dead-letters"),
      settings: work, log: WorkLog(ConsoleLog.logger()))
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(
            service: WorkService(worker: worker), successTerminationBehavior: .gracefullyShutdownGroup)
        ],
        logger: ConsoleLog.silent))
    await StopSignals.watch { await group.triggerGracefulShutdown() }
    do {
      try await group.run()
    } catch let error as QueueError {
      ExitStatus.unavailable.end("\(error)")
    } catch {
      ExitStatus.defect.end("the worker ended: \(error)")
    }
    ExitStatus.done.end()
  }

  /// What is freed goes back to the kernel soon: large pieces at once, and the end of the heap as well.
  private static func keepHeapSmall() {
    mallopt(M_MMAP_THRESHOLD, 65_536)
    mallopt(M_TRIM_THRESHOLD, 65_536)
    mallopt(M_TOP_PAD, 65_536)
  }

  private func settings() -> EnrichmentSettings {
    do throws(OptionError) {
      var settings = try common.settings(environment: ProcessEnvironment.variables)
      let log = ConsoleLog.logger()
      settings.tell = { log.warning("\($0)") }
      // A timer may be late on a busy machine, and the result must not.
      settings.deadline -= min(.milliseconds(100), settings.deadline / 10)
      return settings
    } catch {
      ExitStatus.usage.end("\(error)")
    }
  }
}

/// The worker, as the service group runs it.
private struct WorkService: Service {
  let worker: Worker

  func run() async throws { try await worker.run() }
}
