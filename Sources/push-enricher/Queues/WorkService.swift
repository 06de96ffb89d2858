internal import Confining
internal import Enriching
internal import Logging
internal import Measuring
internal import Queueing
internal import Reporting
internal import ServiceLifecycle
internal import Working

/// A worker from its start to its end: a service that can be told to stop even while it waits for its queues.
struct WorkService: Service, CustomStringConvertible {
  let plan: WorkPlan
  let confinement: Confinement
  private let log = ConsoleLog.logger()
  private let status = WorkStatus()
  private let measurements = Measurements()

  /// For the group, which would spell out all that a worker knows: 5 ms of its start.
  var description: String { "worker" }

  /// Works until it is told to stop, or nothing is left, and ends the process.
  func runToEnd() async -> Never {
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
        logger: Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }))
    await StopSignals.watch {
      await group.triggerGracefulShutdown()
      endAnyhow(after: plan.options.work.longestStop)
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

  /// Returns the worker as soon as its queues can be reached, or ends the process with what is wrong.
  private func begin() async -> Worker {
    let enricher: Enricher
    switch Result(catching: { () throws(SetupError) in try Enricher(settings: plan.settings) }) {
    case .success(let made): enricher = made
    case .failure(let error):
      let failure = CommandError(setup: error)
      ConsoleLog.end(failure.status, failure.description)
    }
    let backlog = BacklogWatch()
    let board = StatusBoard(
      version: PushEnricher.version, status: status, measurements: measurements, backlog: backlog,
      enricher: enricher, places: Worker.maximumInFlight(plan.options.work, enricher),
      queues: (plan.source.label, plan.target.label, plan.deadLetters.label), confinement: confinement)
    // Without these, every payload would go out without its media.
    let failures = [enricher.memoryFailure, await enricher.storeFailure()]
    if let failure = failures.compactMap(\.self).first {
      ConsoleLog.end(.usage, "\(failure.detail): \(failure.advice)")
    }
    var opening = QueueOpening(plan, routes: StatusPages.routes(of: board), log: log)
    let source = await opening.open(plan.source, for: .taking)
    backlog.begin(with: source)
    let worker = Worker(
      enricher: enricher, from: source, to: await opening.open(plan.target, for: .adding),
      deadLetters: await opening.open(plan.deadLetters, for: .adding), settings: plan.options.work,
      log: WorkLog(log, queue: plan.source.label?.name), status: status, measurements: measurements)
    await opening.finish()
    var metadata: Logger.Metadata = ["in_force": "\(confinement.inForce)"]
    if let missing = confinement.missing { metadata["missing"] = "\(missing)" }
    log.log(level: confinement.missing == nil ? .info : .warning, "sandbox", metadata: metadata)
    for variable in OptionSources.unknownVariables(ProcessEnvironment.variables) {
      log.warning("the environment has an option that there is not", metadata: ["variable": "\(variable)"])
    }
    for warning in plan.settings.exposureWarnings { log.warning("\(warning)") }
    return worker
  }

  /// Ends the process if the worker does not, and no queue takes anything: a write into a full pipe is for
  /// ever.
  private func endAnyhow(after limit: Duration) {
    Task {
      var end = ContinuousClock.now + limit
      while .now < end {
        try await Task.sleep(until: end, clock: .continuous)
        if let last = status.lastPublication { end = max(end, last + limit) }
      }
      ConsoleLog.end(
        .unavailable,
        "told to stop, and no result has been taken for \(limit): what is in flight is handed out again, unless it came as lines"
      )
    }
  }
}
