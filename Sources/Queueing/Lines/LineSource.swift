internal import Synchronization

/// The lines of an input as deliveries, whose receipts are line numbers, and the lines that were given back.
final class LineSource: Sendable {
  private struct State {
    var reader: LineReader
    /// Lines that were given back, by their numbers.
    var returned: [Int: Message] = [:]
    /// Why no more can be read. Thrown after all lines that were read have been handed out.
    var failure: QueueError?
  }

  let order = LineOrder()
  private let state: Mutex<State>

  init(_ descriptor: Int32) { state = Mutex(State(reader: LineReader(descriptor))) }

  /// Lines that have arrived. Waits only for a disk.
  /// - Returns: nil at the end of the input.
  func take(_ limit: Int) throws(QueueError) -> [Delivery]? {
    try state.withLock { (state) throws(QueueError) in
      var deliveries: [Delivery] = []
      var size = 0
      while deliveries.count < limit, size < MessageLimits.maximumBatchSize {
        let line: (Int, Message)?
        do throws(QueueError) {
          line = try Self.next(&state)
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

  /// No further line is begun.
  func stop() { state.withLock { $0.reader.stop() } }

  /// Lines that were read already; none of a file, where they were put back for its next reader.
  /// - Parameter waits: whether the rest of the last line is awaited.
  func takeRest(_ limit: Int, waits: Bool) throws(QueueError) -> [Delivery]? {
    state.withLock { state in
      state.reader.stop()
      if !waits { state.reader.giveUp() }
    }
    return try take(limit)
  }

  /// Gives a line back, if it is out.
  func release(_ delivery: Delivery) {
    state.withLock { state in
      guard let number = Int(delivery.receipt), order.leave(number) else { return }
      state.returned[number] = delivery.message
    }
  }

  private static func next(_ state: inout State) throws(QueueError) -> (Int, Message)? {
    if let number = state.returned.keys.min(), let message = state.returned.removeValue(forKey: number) {
      return (number, message)
    }
    if let failure = state.failure { throw failure }
    guard let line = try state.reader.next() else { return nil }
    return (state.reader.number, Message(body: line))
  }
}
