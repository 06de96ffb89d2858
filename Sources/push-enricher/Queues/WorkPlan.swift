internal import Confining
internal import Enriching
internal import Fetching
internal import Logging
internal import Serving
internal import Working

/// The options of `work`, checked.
struct WorkPlan {
  let options: OptionValues
  let source: QueueChoice
  let target: QueueChoice
  let deadLetters: QueueChoice

  var settings: EnrichmentSettings { options.enrichment }

  init(_ sources: OptionSources) throws(CommandError) {
    let common = try Self.adjusted(sources.values(CommonOptions.rows))
    source = try QueueChoice(.incoming, in: sources)
    target = try QueueChoice(.enriched, in: sources)
    deadLetters = try QueueChoice(.deadLetters, in: sources, beside: source)
    for (queue, contents) in [(target, "results"), (deadLetters, "dead letters")]
    where source.isSameQueue(as: queue) {
      throw CommandError(
        "\(queue): this is the queue that --from names: \(contents) would be taken again, forever")
    }
    try source.check(hasCompanion: target)
    try target.check(hasCompanion: source)
    options = try sources.values(WorkOptions.rows, over: common)
  }

  private static func adjusted(_ values: OptionValues) -> OptionValues {
    var values = values
    let log = ConsoleLog.logger()
    values.enrichment.warn = { log.warning("\($0)") }
    let concurrency = values.enrichment.concurrency
    values.enrichment.fetching.receiveBufferBytes = EnrichmentSettings.receiveBufferBytes(for: concurrency)
    // On a busy machine a timer may be late, but the result must not be.
    values.enrichment.deadline -= min(.milliseconds(100), values.enrichment.deadline / 10)
    values.work.concurrency = concurrency
    values.work.deadline = values.enrichment.deadline
    return values
  }

  func needs() throws(CommandError) -> Needs {
    var needs = try Needs(settings)
    for queue in [source, target, deadLetters] { try needs.add(queue) }
    if let status = options.status {
      needs.calls.insert(.listening)
      needs.listenPorts.insert(status.endpoint.port)
    }
    return needs
  }
}
