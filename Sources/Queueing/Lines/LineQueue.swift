internal import Dispatch
internal import Glibc
internal import Supporting
internal import Synchronization

/// One payload or record per line, from stdin or to stdout. Receipts are line numbers. Lines are not
/// synced to disk. A line that is not settled when the process ends is lost.
///
/// A settlement waits until all earlier lines are settled or given back. This keeps the order of
/// lines and limits the memory. The process must ignore SIGPIPE.
package final class LineQueue: DrainableSource, Sink {
  /// Twice as many as usual, because each batch is handed from thread to thread several times.
  private static let maximumBatchSize = MessageLimits.maximumBatchSize * 2

  private struct State {
    var reader: LineReader
    let format: LineFormat
    /// Lines that were given back, by number.
    var returned: [Int: Message] = [:]
    /// Why no more lines can be read. Thrown after all lines that were read have been handed out.
    var failure: QueueError?

    mutating func next() throws(QueueError) -> (Int, Message)? {
      if let number = returned.keys.min(), let message = returned.removeValue(forKey: number) {
        return (number, message)
      }
      if let failure { throw failure }
      guard let line = try reader.next() else { return nil }
      return (reader.number, format.message(in: line, number: reader.number))
    }
  }

  private let state: Mutex<State>
  private let polling: Polling
  private let order = LineOrder()
  private let writer: LineWriter
  private let reading = DispatchQueue(label: "push-enricher.lines.in")
  private let writing = DispatchQueue(label: "push-enricher.lines.out")

  /// Reads and writes these descriptors. The caller keeps them open.
  /// - Parameters:
  ///   - maximumLine: longer lines are truncated. Nil for 1 MiB.
  ///   - gathers: whether to wait a moment after a line for more, so that several are handed out at once.
  package init(
    input: Int32, output: Int32, format: LineFormat = .payloads, maximumLine: Int? = nil, gathers: Bool = true
  ) {
    let reader = LineReader(input, maximumLength: maximumLine ?? LineReader.maximumPayloadLine)
    polling = Polling { [waiting = DispatchQueue(label: "push-enricher.lines.waiting")] pause in
      if gathers, pause <= PollingPause.first {
        try? await Task.sleep(for: pause)
      } else {
        await waiting.run { Self.waitForInput(input, upTo: pause) }
      }
    }
    state = Mutex(State(reader: reader, format: format))
    writer = LineWriter(descriptor: output, format: format)
  }

  package func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    guard limit > 0 else { return [] }
    return try await polling.poll(for: duration) { () async throws(QueueError) in
      try await reading.run { [self] () throws(QueueError) in try take(limit) }
    }
  }

  /// Blocks until the next `take` has something to read, or time is up. A stop does not end it.
  private static func waitForInput(_ input: Int32, upTo duration: Duration) {
    var interest = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    // Rounded up: below a millisecond, it would not wait at all, and repeat that until time is up.
    _ = unsafe poll(&interest, 1, Int32(duration.milliseconds + 1))
  }

  /// Returns lines that have arrived, or nil at the end of the input. Waits only for a disk.
  private func take(_ limit: Int) throws(QueueError) -> [Delivery]? {
    try state.withLock { (state) throws(QueueError) in
      var deliveries: [Delivery] = []
      var size = 0
      do throws(QueueError) {
        while deliveries.count < limit, size < Self.maximumBatchSize {
          guard let (number, message) = try state.next() else {
            return deliveries.isEmpty && state.reader.isAtEnd ? nil : deliveries
          }
          order.enter(number)
          size += message.size
          deliveries.append(Delivery(message: message, attempt: 1, receipt: String(number)))
        }
      } catch {
        state.failure = error
        if deliveries.isEmpty { throw error }
      }
      return deliveries
    }
  }

  package func stopReceiving() async { await reading.run { [self] in state.withLock { $0.reader.stop() } } }

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
    if publications.isEmpty, order.pass(number) { return .sent }
    switch await order.admit(number, publishing: publications) {
    case .granted(let batch): return try await settle(batch)
    case .answered(let result): return try result.get()
    case .lost: throw .leaseLost(id: delivery.message.id)
    case .cancelled: throw .unavailable("the result of line \(number) waits for those before it")
    }
  }

  @inline(never)  // see `TaskPool`
  private func settle(_ batch: LineOrder.Batch) async throws(QueueError) -> SendResult {
    let publications = batch.publications
    do throws(QueueError) {
      // If the batch has several lines, all of its publications have the same target.
      let isOne = batch.numbers.count == 1 || publications.isEmpty
      let result = try await isOne ? publications.publish() : publications.publish(at: publications[0].target)
      order.finish(batch, .success(result))
      return result
    } catch {
      order.finish(batch, .failure(error))
      throw error
    }
  }

  package func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    throw .refused(
      "lines cannot be looked at without taking them: use a queue in a file, like sqlite:push-enricher.db")
  }
}
