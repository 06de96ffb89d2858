internal import Dispatch
internal import Supporting
internal import Synchronization

/// One payload per line: from stdin as a source, to stdout as a target. For pipes and files. Receipts are line
/// numbers.
///
/// Results are written in the order of their lines, whatever order they are settled in: a settlement waits
/// for those of earlier lines, unless these were given back. That also bounds what is held. Lines carry no
/// headers. Nobody else can take them over: a line that was read and is not settled when the process ends is
/// lost. What is published is given to the kernel, and not synced to a disk.
///
/// The process has to ignore SIGPIPE.
package final class LineQueue: DrainableSource, Sink {
  private struct State {
    var reader: LineReader
    /// Lines that were given back, by their numbers.
    var returned: [Int: Message] = [:]
    /// Why no more can be read. Thrown after all lines that were read have been handed out.
    var failure: QueueError?

    mutating func next() throws(QueueError) -> (Int, Message)? {
      if let number = returned.keys.min(), let message = returned.removeValue(forKey: number) {
        return (number, message)
      }
      if let failure { throw failure }
      guard let line = try reader.next() else { return nil }
      return (reader.number, Message(body: line))
    }
  }

  private let state: Mutex<State>
  private let order = LineOrder()
  private let writer: LineWriter
  private let reading = DispatchQueue(label: "push-enricher.lines.in")
  private let writing = DispatchQueue(label: "push-enricher.lines.out")

  /// - Parameters:
  ///   - input: descriptor that lines are read from. Owned by the caller, like `output`, who keeps it open.
  ///   - output: descriptor that lines are written to.
  package init(input: Int32, output: Int32) {
    state = Mutex(State(reader: LineReader(input)))
    writer = LineWriter(descriptor: output)
  }

  package func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    try await Polling.poll(for: duration) { () async throws(QueueError) in
      try await reading.run { [self] () throws(QueueError) in try take(limit) }
    }
  }

  /// Lines that have arrived. Waits only for a disk.
  /// - Returns: nil at the end of the input.
  private func take(_ limit: Int) throws(QueueError) -> [Delivery]? {
    try state.withLock { (state) throws(QueueError) in
      var deliveries: [Delivery] = []
      var size = 0
      while deliveries.count < limit, size < MessageLimits.maximumBatchSize {
        let line: (Int, Message)?
        do throws(QueueError) {
          line = try state.next()
        } catch {
          state.failure = error
          if deliveries.isEmpty { throw error }
          return deliveries
        }
        guard let (number, message) = line else {
          return deliveries.isEmpty && state.reader.isAtEnd ? nil : deliveries
        }
        order.enter(number)
        size += message.body.count
        deliveries.append(Delivery(message: message, attempt: 1, receipt: String(number)))
      }
      return deliveries
    }
  }

  package func stopReceiving() async {
    await reading.run { [self] in state.withLock { $0.reader.stop() } }
  }

  package func receiveRest(_ limit: Int, waits: Bool) async throws(QueueError) -> [Delivery]? {
    try await reading.run { [self] () throws(QueueError) in
      state.withLock { state in
        state.reader.stop()
        if !waits { state.reader.giveUp() }
      }
      return try take(limit)
    }
  }

  package func release(_ deliveries: [Delivery]) async throws(QueueError) {
    state.withLock { state in
      for delivery in deliveries {
        guard let number = Int(delivery.receipt), order.leave(number) else { continue }
        state.returned[number] = delivery.message
      }
    }
  }

  package func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    try await writing.run { [writer] () throws(QueueError) in try writer.write(messages) }
    return messages.map { _ in .sent }
  }

  @discardableResult
  package func settle(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult {
    let number = Int(delivery.receipt) ?? 0
    switch await order.admit(number, publishing: publications) {
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
    order.finish(batch, result)
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
