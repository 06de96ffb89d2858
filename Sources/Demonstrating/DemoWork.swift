internal import BuiltInQueueing
internal import Enriching
internal import Logging
internal import Queueing
internal import Working

/// Runs the pipeline on loopback: enqueues payloads, runs a worker, and reads the results back.
struct DemoWork {
  /// The folder for media and queues.
  let folder: String
  /// Options of all workers, in addition to those that let them reach loopback.
  let arguments: [String]
  let stage: DemoStage

  /// - Returns: the published messages, by payload name.
  func run(_ payloads: [DemoPayload]) async throws -> [String: Message] {
    let loopback = [
      "--store", folder, "--public-url", DemoCase.publicURL, "--allow-http", "--allow-network",
      "127.0.0.1/32",
    ]
    var results: [String: Message] = [:]
    // A worker has one set of options. Payloads that need other options get another worker.
    for (own, group) in Dictionary(grouping: payloads, by: \.arguments) {
      for message in try await work(on: group, with: stage.enricher(loopback + arguments + own)) {
        results[message.id] = message
      }
    }
    return results
  }

  private func work(on payloads: [DemoPayload], with enricher: Enricher) async throws -> [Message] {
    let queues = Queues()
    func queue(_ name: String) throws(QueueError) -> any Queue {
      try queues.open("sqlite:\(folder)/demo.db?queue=\(name)", defaultQueue: name)
    }
    let incoming = try queue("incoming")
    let enriched = try queue("enriched")
    try await incoming.publish(payloads.map { Message(id: $0.name, body: $0.bytes) })
    var work = WorkSettings()
    work.stopsWhenEmpty = true
    try await Worker(
      enricher: enricher, from: incoming, to: enriched, deadLetters: queue("dead-letters"), settings: work,
      log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() })
    ).run()
    let deliveries = try await enriched.receive(payloads.count, waitingUpTo: .zero) ?? []
    for delivery in deliveries { try await enriched.settle(delivery, publishing: []) }
    return deliveries.map(\.message)
  }
}
