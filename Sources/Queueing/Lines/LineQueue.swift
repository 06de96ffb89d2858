internal import Dispatch
internal import Supporting

/// One payload per line: from stdin as a source, to stdout as a target. For pipes and files.
///
/// Results are written in the order of their lines, whatever order they are settled in: a settlement waits
/// for those of earlier lines, unless these were given back. That also bounds what is held. Lines carry no
/// headers. Nobody else can take them over: a line that was read and is not settled when the process ends is
/// lost. What is published is given to the kernel, and not synced to a disk.
///
/// The process has to ignore SIGPIPE.
package final class LineQueue: DrainableSource, Sink {
  private let source: LineSource
  private let writer: LineWriter
  private let reading = DispatchQueue(label: "push-enricher.lines.in")
  private let writing = DispatchQueue(label: "push-enricher.lines.out")

  /// - Parameters:
  ///   - input: descriptor that lines are read from. Owned by the caller, like `output`, who keeps it open.
  ///   - output: descriptor that lines are written to.
  package init(input: Int32, output: Int32) {
    source = LineSource(input)
    writer = LineWriter(descriptor: output)
  }

  package func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    let source = source
    return try await Polling.poll(for: duration) { () async throws(QueueError) in
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

  package func release(_ deliveries: [Delivery]) async throws(QueueError) {
    for delivery in deliveries { source.release(delivery) }
  }

  package func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    let writer = writer
    try await writing.run { () throws(QueueError) in try writer.write(messages) }
    return messages.map { _ in .sent }
  }

  @discardableResult
  package func settle(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult {
    let number = Int(delivery.receipt) ?? 0
    switch await source.order.admit(number, publishing: publications) {
    case .granted(let batch): return try await settle(batch)
    case .answered(let result): return try result.get()
    case .lost: throw .leaseLost(id: delivery.message.id)
    case .cancelled: throw .unavailable("the result of line \(number) waits for those before it")
    }
  }

  // Not inlined: those that wait for others need none of its memory.
  @inline(never)
  private func settle(_ batch: LineOrder.Batch) async throws(QueueError) -> SendResult {
    let result: Result<SendResult, QueueError>
    do throws(QueueError) {
      result = .success(try await publish(batch))
    } catch {
      result = .failure(error)
    }
    source.order.finish(batch, result)
    return try result.get()
  }

  /// All publications for several lines have the same target.
  private func publish(_ batch: LineOrder.Batch) async throws(QueueError) -> SendResult {
    guard batch.numbers.count > 1, let target = batch.publications.first?.target else {
      return try await batch.publications.publish()
    }
    return try await batch.publications.publish(at: target)
  }

  package func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    throw .refused(
      "lines cannot be looked at without taking them: use a queue in a file, like sqlite:push-enricher.db")
  }
}
