internal import Dispatch
internal import Enriching
internal import Fetching
internal import Logging
internal import Measuring
internal import PushQueueing
internal import Queueing
internal import Serving
internal import Supporting

/// Opens the queues of a worker, and waits for those that cannot be reached. Serves the status once it
/// has to wait or all are open. A worker that cannot start only shows its error.
struct QueueOpening {
  private let queues: Queues
  /// When to stop trying a queue that cannot be reached.
  private let end: ContinuousClock.Instant
  private let status: StatusChoice?
  private let routes: [Route]
  private let log: Logger
  private let thread = DispatchQueue(label: "push-enricher.opening")
  private var isWaiting = false

  init(_ plan: WorkPlan, routes: [Route], log: Logger, measurements: Measurements) {
    var door = plan.door
    door?.opened = { log.info("the door is open", metadata: ["address": "\($0)"]) }
    door?.answered = { measurements.answer($0) }
    self.init(
      plan.options, routes: routes, log: log, door: door, sendsToDevices: plan.target.sendsToDevices)
  }

  init(
    _ options: OptionValues, routes: [Route] = [], log: Logger, door: DoorSettings? = nil,
    sendsToDevices: Bool
  ) {
    queues = Queues(
      leaseDuration: Self.leaseDuration, keepsOrder: sendsToDevices, patience: options.waitingTime,
      certificateFile: options.enrichment.fetching.certificateFile, tell: { log.warning("\($0)") },
      warn: { log.warning("\($0)") }, door: door)
    end = .now + options.waitingTime
    status = options.status
    self.routes = routes
    self.log = log
  }

  /// Crash tests shorten it in debug builds: `PUSH_ENRICHER_LEASE=1s`.
  private static var leaseDuration: Duration {
    #if DEBUG
      if let text = ProcessEnvironment.variables["PUSH_ENRICHER_LEASE"], let time = try? Parse.time(text) {
        return time
      }
    #endif
    return QueueLease.duration
  }

  /// Returns the queue once its broker can be reached, or says what is wrong and ends the process.
  mutating func open(_ choice: QueueChoice, for use: QueueUse) async -> any Queue {
    let queues = queues
    return await open("\(choice)", warning: choice.warning, failure: choice.failure(opening:)) {
      () throws(QueueError) in
      try choice.url.get().open(in: queues, for: use, createsFile: true)
    }
  }

  /// Opens the push queue in the same way.
  mutating func open(_ choice: PushQueueChoice) async -> any PushQueue {
    await open("\(choice)", warning: choice.warning, failure: choice.failure(_:)) {
      [log] () throws(QueueError) in
      try choice.open { log.warning("\($0)") }
    }
  }

  private mutating func open<Opened: Sendable>(
    _ name: String, warning: String?, failure: (QueueError) -> CommandError,
    _ body: @escaping @Sendable () throws(QueueError) -> Opened
  ) async -> Opened {
    var warning = warning
    while true {
      do throws(QueueError) {
        let opened = try await thread.run(body)
        if let text = warning.take() { log.warning("\(text)") }
        return opened
      } catch {
        guard case .unavailable = error, .now < end else {
          let failure = failure(error)
          ConsoleLog.end(failure.status, failure.description)
        }
        if let text = warning.take() { log.warning("\(text)") }
        if !isWaiting {
          isWaiting = true
          log.warning("a queue is away, waiting for it", metadata: ["error": "\(name): \(error)"])
          await status?.serve(routes, log: log)
        }
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// Opens the queue for dead tokens, if there is one, and has `target` put them there. Ends the process if
  /// `target` does not report dead tokens.
  mutating func open(deadTokens choice: QueueChoice?, of target: any Queue) async {
    guard let choice else { return }
    guard let target = target as? any DeadTokenSink else {
      ConsoleLog.end(
        .usage, "\(choice): only APNs says which tokens are dead: give --to apns://… or leave it out")
    }
    target.report(deadTokensTo: await open(choice, for: .adding))
  }

  func finish() async {
    if !isWaiting { await status?.serve(routes, log: log) }
  }
}
