internal import Confining
internal import Logging
internal import Measuring
internal import Queueing
internal import Reporting
internal import Sending
internal import Working

/// `send` from start to end.
struct SendService: QueueService {
  let plan: SendPlan
  let pushQueue: PushQueueService?
  let confinement: Confinement
  let log = ConsoleLog.logger()
  private let status = WorkStatus()
  private let measurements = Measurements()

  var description: String { "forwarder" }

  func run() async throws {
    let (forwarder, summary) = await started(begin)
    let telling = Task { await summary.tellRegularly() }
    defer {
      telling.cancel()
      summary.tell()
    }
    try await forwarder.run()
  }

  func endAnyhow() {
    Task {
      try await Task.sleep(for: Forwarder.stopTime * 2)
      ConsoleLog.end(
        .unavailable,
        "told to stop, and an answer is missing: messages in flight will be handed out again, unless they came as lines"
      )
    }
  }

  private func begin() async -> (Forwarder, SendSummary) {
    let (backlog, sending, deliveries) = (BacklogWatch(), SendingWatch(), DeliveryWatch())
    let board = StatusBoard(
      version: PushEnricher.version, status: status, measurements: measurements, backlog: backlog,
      sending: sending, deliveries: deliveries, enricher: nil, places: Forwarder.maximumInFlight,
      queues: (plan.source.label, plan.target.label, plan.deadLetters.label), confinement: confinement)
    var opening = QueueOpening(
      plan.options, routes: StatusPages.routes(of: board), log: log,
      sendsToDevices: plan.target.sendsToDevices)
    let source = await opening.open(plan.source, for: .taking)
    backlog.begin(with: source)
    let target = await opening.open(plan.target, for: .adding)
    guard let sink = target as? APNsSink else {
      ConsoleLog.end(.defect, "\(plan.target): this is not APNs, as SendPlan has checked")
    }
    sending.begin { sink.counts }
    status.watch { sink.counts.credentialsFault }
    status.watchAnswers { sink.counts.lastAnswer }
    let letters = await opening.open(plan.deadLetters, for: .adding)
    await opening.open(deadTokens: plan.deadTokens, of: target)
    let workLog = WorkLog(log, queue: plan.source.label?.name)
    await pushQueue?.begin(with: sink, &opening, log: workLog, watch: deliveries)
    await opening.finish()
    tellSurroundings()
    let forwarder = Forwarder(
      from: source, to: target, deadLetters: letters, stopsWhenEmpty: plan.options.work.stopsWhenEmpty,
      numbers: pushQueue != nil, rate: sink.rate,
      log: workLog, status: status, measurements: measurements)
    return (forwarder, SendSummary(log: log, measurements: measurements) { sink.counts })
  }
}
