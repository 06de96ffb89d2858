internal import Confining
internal import Enriching
internal import Logging
internal import Measuring
internal import Queueing
internal import Reporting
internal import Sending
internal import ServiceLifecycle
internal import Working

/// A worker from start to end.
struct WorkService: QueueService {
  let plan: WorkPlan
  let pushQueue: PushQueueService?
  let confinement: Confinement
  let log = ConsoleLog.logger()
  private let status = WorkStatus()
  private let measurements = Measurements()

  var description: String { "worker" }

  func run() async throws { try await started(begin).run() }

  /// Returns the worker once its queues can be reached, or says what is wrong and ends the process.
  private func begin() async -> Worker {
    let enricher: Enricher
    switch Result(catching: { () throws(SetupError) in try Enricher(settings: plan.settings) }) {
    case .success(let made): enricher = made
    case .failure(let error):
      let failure = CommandError(setup: error)
      ConsoleLog.end(failure.status, failure.description)
    }
    let (backlog, sending, deliveries) = (BacklogWatch(), SendingWatch(), DeliveryWatch())
    let board = StatusBoard(
      version: PushEnricher.version, status: status, measurements: measurements, backlog: backlog,
      sending: sending, deliveries: deliveries, enricher: enricher,
      places: Worker.maximumInFlight(plan.options.work, enricher),
      queues: (plan.source.label, plan.target.label, plan.deadLetters.label), confinement: confinement)
    // Without enough memory and a store, every payload would go out without its media.
    let storeFailure = await enricher.storeFailure()
    let failures = [enricher.memoryFailure, storeFailure.flatMap { $0.isLasting ? $0.failure : nil }]
    if let failure = failures.compactMap(\.self).first {
      ConsoleLog.end(.usage, "\(failure.detail): \(failure.advice)")
    }
    var opening = QueueOpening(
      plan, routes: StatusPages.routes(of: board), log: log, measurements: measurements)
    let source = await opening.open(plan.source, for: .taking)
    backlog.begin(with: source)
    let target = plan.answers ? source : await opening.open(plan.target, for: .adding)
    if let sink = target as? APNsSink {
      sending.begin { sink.counts }
      status.watch { sink.counts.credentialsFault }
    }
    let letters =
      plan.deadLetters.role == .incoming ? source : await opening.open(plan.deadLetters, for: .adding)
    await opening.open(deadTokens: plan.deadTokens, of: target)
    let workLog = WorkLog(log, queue: plan.source.label?.name)
    await pushQueue?.begin(with: target, &opening, log: workLog, watch: deliveries)
    let worker = Worker(
      enricher: enricher, from: source, to: target, deadLetters: letters, settings: plan.options.work,
      log: workLog, status: status, measurements: measurements)
    await opening.finish()
    tellSurroundings()
    let warnings = plan.settings.storageWarnings + [plan.settings.missingURLWarning].compactMap(\.self)
    for warning in warnings { log.warning("\(warning)") }
    if let failure = storeFailure?.failure, !plan.options.work.waitsForStore {
      log.error(
        "the store fails: payloads go out without their media until it works",
        metadata: ["error": "\(failure.detail)", "advice": "\(failure.advice)"])
    }
    return worker
  }

  /// Ends the process if no queue has taken a result for long: a write into a full pipe may block
  /// forever.
  func endAnyhow() {
    let limit = plan.options.work.longestStop
    Task {
      var end = ContinuousClock.now + limit
      while .now < end {
        try await Task.sleep(until: end, clock: .continuous)
        if let last = status.lastPublication { end = max(end, last + limit) }
      }
      ConsoleLog.end(
        .unavailable,
        "told to stop, and no result has been taken for \(limit): messages in flight will be handed out again, unless they came as lines"
      )
    }
  }
}
