internal import Confining
internal import DeviceAPI
internal import Enriching
internal import Fetching
internal import Logging
internal import PushQueueing
internal import Queueing
internal import Working

/// The options of `work`, checked.
struct WorkPlan {
  let options: OptionValues
  let source: QueueChoice
  let target: QueueChoice
  let deadLetters: QueueChoice
  let deadTokens: QueueChoice?

  var settings: EnrichmentSettings { options.enrichment }

  init(_ sources: OptionSources) throws(CommandError) {
    var common = try Self.adjusted(sources.values(CommonOptions.rows))
    source = try QueueChoice(.incoming, in: sources)
    if source.door != nil { common.enrichment.door = Self.doorShare }
    let named = try QueueChoice(.enriched, in: sources)
    // If the target is not named, a door answers with the results. The same goes for dead letters.
    target = source.door != nil && !named.isNamed ? source : named
    let letters = try QueueChoice(
      .deadLetters, in: sources, beside: source.door == nil ? source : target)
    deadLetters = target.role == .incoming && !letters.isNamed ? source : letters
    deadTokens = try QueueChoice.deadTokens(sources)
    let outputs =
      [(target, "results"), (deadLetters, "dead letters")] + (deadTokens.map { [($0, "dead tokens")] } ?? [])
    try source.checkSource()
    for (queue, contents) in outputs where queue.role != .incoming {
      try queue.check(for: contents, from: source)
    }
    try source.check(hasCompanion: target)
    try target.check(hasCompanion: source)
    common.work.sendsToDevices = target.sendsToDevices
    common.work.takesFromDoor = source.door != nil
    var options = try sources.values(WorkOptions.rows, over: common)
    if options.pushQueue.url != nil { options.work.markSize = QueueMark.maximumSize }
    if options.pushQueue.endpoint != nil {
      options.enrichment.door.memory += DeviceAPISettings.mostMemory
      options.enrichment.door.connections += DeviceAPISettings.mostConnections
    }
    self.options = options
    try checkDoor()
  }

  /// Whether the results go back through the door that their messages came through.
  var answers: Bool { target.role == .incoming }

  /// What a door takes: bodies of 1 MB, and 256 idle connections of 5 KB each. With unfinished requests on all of
  /// them, 3.5 MB were measured instead of 1.3. Downloads begin later in that case.
  private static let doorShare = (memory: DoorSettings().bodyBytes + 1_300_000, connections: 256)

  /// Nil unless --from is a door.
  var door: DoorSettings? {
    guard source.door != nil else { return nil }
    var settings = DoorSettings()
    settings.places = options.work.concurrency
    settings.connections = Self.doorShare.connections
    // The deadline of the worker is shorter, by as much as its timer may be late.
    settings.patience = options.work.deadline + .milliseconds(100)
    settings.token = options.doorToken
    return settings
  }

  private func checkDoor() throws(CommandError) {
    guard let door = source.door else {
      guard options.doorToken == nil else {
        throw CommandError(
          "--door-token-file: there is no door: give --from http://ADDRESS:PORT, or leave it out")
      }
      return
    }
    guard !options.work.stopsWhenEmpty else {
      throw CommandError(
        "--until-empty: a door is never empty: leave it out, and end the worker with SIGTERM")
    }
    guard door == .machine || options.doorToken != nil else {
      throw CommandError(
        "\(source): others can reach this address: give --door-token-file with a token that they have to send, or listen at 127.0.0.1"
      )
    }
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

  func needs(_ pushQueue: PushQueueService?) throws(CommandError) -> Needs {
    var needs = try Needs(settings)
    for queue in [source, target, deadLetters] { try needs.add(queue) }
    if let deadTokens { try needs.add(deadTokens) }
    try pushQueue?.add(to: &needs)
    needs.add(options.status)
    return needs
  }
}
