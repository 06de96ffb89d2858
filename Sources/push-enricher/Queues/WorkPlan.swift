internal import Confining
internal import Enriching
internal import Serving
internal import Working

/// What `work` is told to do.
struct WorkPlan {
  let settings: EnrichmentSettings
  let source: QueueChoice
  let target: QueueChoice
  let deadLetters: QueueChoice
  let statusChoice: StatusChoice?
  let stopsWhenEmpty: Bool
  /// How long to try again, at the start, where a queue is away.
  let waitingTime: Duration
  /// Whether it takes no more while the store fails.
  let waitsForStore: Bool

  /// What it needs from the sandbox.
  func needs() throws(OptionError) -> Needs {
    var needs = try Needs(settings)
    for queue in [source, target, deadLetters] { try needs.add(queue) }
    if let statusChoice {
      needs.calls.insert(.listening)
      needs.listenPorts.insert(statusChoice.endpoint.port)
    }
    return needs
  }

  var workSettings: WorkSettings {
    var work = WorkSettings()
    work.concurrency = settings.concurrency
    work.deadline = settings.deadline
    work.stopsWhenEmpty = stopsWhenEmpty
    work.waitsForStore = waitsForStore
    return work
  }
}
