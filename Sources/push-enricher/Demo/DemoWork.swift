internal import ArgumentParser
internal import Connecting
internal import Enriching
internal import Queueing
internal import Working

/// The way of production, on loopback: payloads are put into a queue, a worker takes them, and what it publishes is read back.
struct DemoWork {
  let server: DemoMediaServer
  /// Where the media are stored, and the queues lie.
  let folder: String
  /// The key file for the encrypted ones.
  let keys: String?

  /// - Returns: what was published of each case, by its name.
  func run(_ cases: [DemoCase]) async throws -> [String: Message] {
    var results: [String: Message] = [:]
    // The options of a worker hold for all that it takes: those that want others get one of their own.
    for (arguments, group) in Dictionary(grouping: cases, by: \.arguments) {
      for message in try await work(on: group, settings: settings(arguments)) {
        results[message.id] = message
      }
    }
    return results
  }

  private func work(on cases: [DemoCase], settings: EnrichmentSettings) async throws -> [Message] {
    let queues = Queues()
    func queue(_ name: String) throws(QueueError) -> any Queue {
      try queues.open("sqlite:\(folder)/demo.db?queue=\(name)", defaultQueue: name)
    }
    let incoming = try queue("incoming")
    let enriched = try queue("enriched")
    try await incoming.publish(cases.map { Message(id: $0.name, body: $0.payload) })
    var work = WorkSettings()
    work.stopsWhenEmpty = true
    try await Worker(
      enricher: Enricher.orExit(settings: settings), from: incoming, to: enriched,
      deadLetters: queue("dead-letters"), settings: work, log: WorkLog(ConsoleLog.silent)
    ).run()
    let deliveries = try await enriched.receive(cases.count, patience: .zero) ?? []
    for delivery in deliveries { try await enriched.settle(delivery, publishing: []) }
    return deliveries.map(\.message)
  }

  /// What the cases ask for, and the loopback server opened.
  private func settings(_ arguments: [String]) throws -> EnrichmentSettings {
    let loopback = [
      "--store", folder, "--public-url", DemoCase.publicURL, "--allow-http", "--allow-port", "\(server.port)",
      "--allow-network", "127.0.0.1/32",
    ]
    let keys = keys.map { ["--keys", $0] } ?? []
    return try CommonOptions.parse(loopback + keys + arguments).settings(environment: [:])
  }
}
