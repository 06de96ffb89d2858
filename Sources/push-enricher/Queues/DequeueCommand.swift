internal import ArgumentParser
internal import Glibc
internal import Queueing

struct DequeueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dequeue",
    abstract: "Takes results out of a queue: one per line on stdout, acknowledged once written.")

  @Option(help: ArgumentHelp("Queue to take from.", valueName: "url"))
  var from = QueueDefaults.enriched
  @Flag(help: "Wait for more instead of ending when the queue is empty.")
  var follow = false

  func run() async {
    let queues = Queues()
    let source = queues.orExit("--from", from, defaultQueue: "enriched")
    let output = queues.orExit("stdout", "-", defaultQueue: "")
    do throws(QueueError) {
      while let deliveries = try await source.receive(100, patience: follow ? .seconds(1) : .zero) {
        if deliveries.isEmpty {
          guard follow else { break }
          continue
        }
        for delivery in deliveries {
          try await source.settle(delivery, publishing: [Publication(delivery.message, into: output)])
        }
      }
    } catch {
      ExitStatus.unavailable.end("--from \(from): \(error)")
    }
    ExitStatus.done.end()
  }
}
