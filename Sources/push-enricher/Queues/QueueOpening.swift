internal import Connecting
internal import Dispatch
internal import Enriching
internal import Fetching
internal import Logging
internal import Queueing
internal import Serving
internal import Supporting
internal import Working

/// The queues of a worker at its start: those that are away are waited for. The status is served from then
/// on, otherwise when all are open, so that a worker that cannot begin shows no status, only its error.
struct QueueOpening {
  private let queues: Queues
  /// Until when a queue that is away is tried again.
  private let end: ContinuousClock.Instant
  private let statusChoice: StatusChoice?
  private let routes: [Route]
  private let log: Logger
  private let thread = DispatchQueue(label: "push-enricher.opening")
  private var isWaiting = false

  init(_ plan: WorkPlan, routes: [Route], log: Logger) {
    queues = Queues(
      leaseDuration: QueueLease.chosenDuration,
      certificateFile: plan.settings.fetching.certificateFile, tell: { log.warning("\($0)") },
      warn: { log.warning("\($0)") })
    end = .now + plan.waitingTime
    statusChoice = plan.statusChoice
    self.routes = routes
    self.log = log
  }

  /// The queue as soon as its broker can be reached, or the end of the process with what is wrong.
  mutating func open(_ choice: QueueChoice, for use: QueueUse) async -> any Queue {
    var warning = choice.warning
    while true {
      do throws(QueueError) {
        let queue = try await thread.run { [queues] () throws(QueueError) in
          try choice.tryToOpen(in: queues, for: use)
        }
        if let text = warning.take() { log.warning("\(text)") }
        return queue
      } catch {
        guard case .unavailable = error, .now < end else {
          choice.end(opening: error) { ConsoleLog.end($0, $1) }
        }
        if let text = warning.take() { log.warning("\(text)") }
        await wait(for: choice, error)
      }
    }
  }

  /// All queues are open.
  func finish() async {
    if !isWaiting { await serveStatus() }
  }

  private mutating func wait(for choice: QueueChoice, _ error: QueueError) async {
    if !isWaiting {
      isWaiting = true
      log.warning("a queue is away, waiting for it", metadata: ["error": "\(choice): \(error)"])
      await serveStatus()
    }
    try? await Task.sleep(for: .seconds(1))
  }

  private func serveStatus() async {
    guard let statusChoice else { return }
    await StatusService.start(at: statusChoice, routes: routes, log: log)
  }
}
