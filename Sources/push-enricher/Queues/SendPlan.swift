internal import Confining
internal import Enriching
internal import Fetching

/// The options of `send`, checked.
struct SendPlan {
  let options: OptionValues
  let source: QueueChoice
  let target: QueueChoice
  let deadLetters: QueueChoice
  let deadTokens: QueueChoice?

  init(_ sources: OptionSources) throws(CommandError) {
    source = try QueueChoice(.incoming, in: sources)
    target = try QueueChoice(.enriched, in: sources)
    deadLetters = try QueueChoice(.deadLetters, in: sources, beside: source)
    deadTokens = try QueueChoice.deadTokens(sources)
    options = try sources.values(SendOptions.rows)
    for (queue, option, example) in [
      (source, "--from", "sqlite:push-enricher.db?queue=enriched"),
      (target, "--to", "apns://api.push.apple.com?key=FILE&key-id=ID&team-id=ID"),
    ] where !queue.isNamed {
      throw CommandError(
        "name a queue to take from and where to send to: \(option) is missing; write \(option) '\(example)'")
    }
    _ = try target.url(of: "send sends to APNs only")
    guard source.door == nil else {
      throw CommandError("\(source): a door takes payloads for work only: name a queue")
    }
    try source.checkSource()
    try deadLetters.check(for: "dead letters", from: source)
    try deadTokens?.check(for: "dead tokens", from: source)
  }

  func needs(_ pushQueue: PushQueueService?) throws(CommandError) -> Needs {
    var needs = Needs(paths: AllowedPaths())
    // Long answers of name servers come over TCP (RFC 7766).
    needs.connectPorts = [53]
    if let file = options.enrichment.fetching.certificateFile { needs.paths?.addReplaceable(file) }
    for queue in [source, target, deadLetters] { try needs.add(queue) }
    if let deadTokens { try needs.add(deadTokens) }
    try pushQueue?.add(to: &needs)
    needs.add(options.status)
    return needs
  }
}
