internal import ArgumentParser
internal import Glibc
internal import Queueing

struct DequeueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dequeue",
    abstract: "Takes results out of a queue, prints one per line, and acknowledges each after that.",
    discussion: """
      Line feeds in a result become spaces. In JSON, they are only between values. With --records, a line is a whole message, which \
      enqueue --records puts in again byte for byte: {"id":"…","headers":{"apns-topic":"…"},"body":{…}}. A message is acknowledged when \
      it is in the pipe or file, so what the next program in a pipe does not handle is lost. To move messages without that risk, use \
      dead-letters replay --all --from URL --to URL.
      """)

  @Option(help: .value("url", "Queue to take from. (default: the one that work publishes into)"))
  var from: String?
  @OptionGroup var access: QueueAccess
  @Flag(help: "Wait for more instead of ending when the queue is empty.") var follow = false
  @Flag(help: "Print id, headers and body of each message, as JSON.") var records = false

  func run() async throws {
    let isStopped = StopFlag()
    await StopSignals.watch {
      isStopped.set()
      // The reader of stdout may take nothing. What is not printed stays in the queue.
      Task {
        try await Task.sleep(for: .seconds(5))
        ExitStatus.interrupted.end()
      }
    }
    let sources = try access.sources()
    let choice = try QueueChoice(.enriched, option: ("--from", from), in: sources)
    try choice.expectNoOther(.incoming, in: sources, because: "dequeue reads")
    let source = try choice.open(in: access.queues(sources), for: .taking, createsFile: false)
    let output = LineQueue(
      input: STDIN_FILENO, output: STDOUT_FILENO, format: records ? .records : .payloads)
    do throws(QueueError) {
      var last = LastDeliveries()
      let polling = Polling()
      var tellsHeaders = !records
      while let deliveries = try await next(of: source, &last, polling, until: isStopped) {
        guard !deliveries.isEmpty || follow else { break }
        try await write(deliveries, of: source, to: output, until: isStopped, &tellsHeaders)
        if isStopped.isSet { break }
      }
    } catch {
      throw choice.failure(error)
    }
  }

  /// Returns the next results; with `--follow`, those that come within a second. Polls instead of
  /// letting the queue wait: it would hand out the first while others are still on their way, and
  /// this process could not give those back.
  private func next(
    of source: any Queue, _ last: inout LastDeliveries, _ polling: Polling, until isStopped: StopFlag
  ) async throws(QueueError) -> [Delivery]? {
    guard follow else { return try await last.receive(100, from: source) { isStopped.isSet } }
    return try await polling.poll(for: .seconds(1)) { () async throws(QueueError) in
      try await source.receive(100, waitingUpTo: .zero)
    }
  }

  /// Writes and settles deliveries. Gives back the rest if the process is told to stop. If a
  /// delivery cannot be written, gives back that one and the rest, and ends the process.
  /// - Parameter tellsHeaders: whether to say that there are headers. Once is enough.
  private func write(
    _ deliveries: [Delivery], of source: any Queue, to output: LineQueue, until isStopped: StopFlag,
    _ tellsHeaders: inout Bool
  ) async throws(QueueError) {
    for (index, delivery) in deliveries.enumerated() {
      if isStopped.isSet {
        try? await source.release(Array(deliveries[index...]))
        return
      }
      let publication = Publication(delivery.message, into: output)
      do throws(QueueError) {
        try await source.settle(delivery, publishing: [publication]).orThrow()
        // Each result has the headers that the worker adds.
        if tellsHeaders, let header = delivery.message.withoutResultHeaders.headers.first {
          Console.line(
            "messages have headers that are not printed, like \(header.name): dequeue --records prints them")
          tellsHeaders = false
        }
      } catch .leaseLost {
        // Another process has it now, and prints it.
        continue
      } catch {
        try? await source.release(Array(deliveries[index...]))
        if publication.takeFailure() {
          ExitStatus.outputFailed.end("\(error); what was not printed is still in the queue")
        }
        throw error
      }
    }
  }
}
