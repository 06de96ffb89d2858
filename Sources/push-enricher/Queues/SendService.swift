internal import Confining
internal import Logging
internal import Queueing
internal import Working

/// `send` from start to end.
struct SendService: QueueService {
  let plan: SendPlan
  let confinement: Confinement
  let log = ConsoleLog.logger()

  var description: String { "forwarder" }

  func run() async throws { try await started(begin).run() }

  func endAnyhow() {
    Task {
      try await Task.sleep(for: Forwarder.stopTime * 2)
      ConsoleLog.end(
        .unavailable,
        "told to stop, and an answer is missing: what is in flight is handed out again, unless it came as lines"
      )
    }
  }

  private func begin() async -> Forwarder {
    var opening = QueueOpening(plan.options, log: log, sendsToDevices: plan.target.sendsToDevices)
    let source = await opening.open(plan.source, for: .taking)
    let target = await opening.open(plan.target, for: .adding)
    let letters = await opening.open(plan.deadLetters, for: .adding)
    await opening.open(deadTokens: plan.deadTokens, of: target)
    tellSurroundings()
    return Forwarder(
      from: source, to: target, deadLetters: letters, stopsWhenEmpty: plan.options.work.stopsWhenEmpty,
      log: WorkLog(log, queue: plan.source.label?.name))
  }
}
