internal import Dispatch
internal import Supporting
internal import Synchronization

/// One payload per line: from stdin as a source, to stdout as a target. For pipes and files.
///
/// Results come out in the order of the lines that they are for, whatever order they are settled in: a settlement waits for those
/// before it, unless their lines were given back. That also bounds what is held. Lines carry no headers, and nobody else can take
/// them over: what was read and is not settled when the process ends is in no queue any more. What is published is handed to the
/// kernel, not to the disk.
///
/// The process has to ignore SIGPIPE.
package final class LineQueue: Queue {
  private let source: LineSource
  private let writer: LineWriter
  private let reading = DispatchQueue(label: "push-enricher.lines.in")
  private let writing = DispatchQueue(label: "push-enricher.lines.out")
  private let hasFailed = Atomic(false)

  /// Whether the last lines could not be written: what a settlement elsewhere, which was to publish here, has failed of.
  package var hasFailedToWrite: Bool { hasFailed.load(ordering: .relaxed) }

  /// - Parameters:
  ///   - input: where lines are read. Belongs to the caller, like `output`, and stays open as long as this.
  ///   - output: where lines are written.
  package init(input: Int32, output: Int32) {
    source = LineSource(input)
    writer = LineWriter(descriptor: output)
  }

  package func receive(_ limit: Int, patience: Duration) async throws(QueueError) -> [Delivery]? {
    let source = source
    return try await Patience.wait(patience) { () async throws(QueueError) in
      try await reading.run { () throws(QueueError) in try source.take(limit) }
    }
  }

  package func stopReceiving() async {
    let source = source
    await reading.run { source.stop() }
  }

  package func receiveRest(_ limit: Int, waits: Bool) async throws(QueueError) -> [Delivery]? {
    let source = source
    return try await reading.run { () throws(QueueError) in try source.takeRest(limit, waits: waits) }
  }

  /// Nobody else can have a line: its lease does not run out.
  package func extend(_ deliveries: [Delivery]) async throws(QueueError) {}

  package func release(_ deliveries: [Delivery]) async throws(QueueError) {
    for delivery in deliveries { source.release(delivery) }
  }

  package func publish(_ messages: [Message]) async throws(QueueError) {
    let writer = writer
    do throws(QueueError) {
      try await writing.run { () throws(QueueError) in try writer.write(messages) }
      hasFailed.store(false, ordering: .relaxed)
    } catch {
      hasFailed.store(true, ordering: .relaxed)
      throw error
    }
  }

  package func settle(_ delivery: Delivery, publishing publications: [Publication]) async throws(QueueError) {
    let number = Int(delivery.receipt) ?? 0
    switch await source.order.turn(of: number, publishing: publications) {
    case .granted(let numbers, let publications):
      do throws(QueueError) {
        try await publish(publications, of: numbers.count)
      } catch {
        source.order.finish(numbers, error)
        throw error
      }
      source.order.finish(numbers, nil)
    case .settled: return
    case .failed(let error): throw error
    case .lost: throw .leaseLost(id: delivery.message.id)
    case .cancelled: throw .unavailable("the result of line \(number) waits for those before it")
    }
  }

  /// - Parameter count: of the lines that they are for. Several go to the same lines.
  private func publish(_ publications: [Publication], of count: Int) async throws(QueueError) {
    guard count > 1, let target = publications.first?.target else { return try await publications.publish() }
    try await target.publish(publications.map(\.message))
  }

  package var settlesInOrder: Bool { true }

  package func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    throw .refused(
      "lines cannot be looked at without taking them: use a queue in a file, like sqlite:push-enricher.db")
  }
}
