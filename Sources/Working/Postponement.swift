internal import Queueing
internal import Supporting

/// Puts messages for devices aside that are not to be sent now: they wait in their queue. Keeps the
/// order of each device (`PostponingSource`).
struct Postponement: Sendable {
  let source: any PostponingSource

  /// Nil if the results do not go to devices, or if the source puts nothing aside.
  init?(_ source: any Source, sendsToDevices: Bool) {
    guard sendsToDevices, let source = source as? any PostponingSource else { return nil }
    self.source = source
  }

  /// Puts aside what has a later time, or follows a message of its device that is put aside.
  /// - Returns: the deliveries to go on with.
  /// - Throws: the queue's error, after giving back what is still on lease.
  func sift(
    _ deliveries: [Delivery], among inFlight: InFlightDeliveries
  ) async throws(QueueError) -> [Delivery] {
    var (due, left) = ([Delivery](), deliveries[...])
    do throws(QueueError) {
      for (delivery, end) in zip(deliveries, try await source.due(before: deliveries)) {
        // A time that cannot be read is the sink's to reject.
        let own = (try? delivery.message.sendAt) ?? 0
        if own > max(end ?? 0, WallClock.milliseconds) {
          // Has no line: those after it do not wait for it.
          try await postpone(delivery, until: own, line: nil)
        } else if let end {
          try await postpone(delivery, until: end, line: delivery.message.line)
        } else {
          due.append(delivery)
        }
        left.removeFirst()
      }
    } catch {
      await source.release(due + left, among: inFlight) {
        Task.isCancelled || inFlight.stopTime != nil || inFlight.closing != nil
      }
      throw error
    }
    return due
  }

  /// Puts aside what the sink wants later.
  func postpone(_ delivery: Delivery, for duration: Duration) async throws(QueueError) {
    try await postpone(
      delivery, until: WallClock.milliseconds + Int64(duration.milliseconds), line: delivery.message.line)
  }

  /// A lost lease is not an error here: another worker has the message now.
  func postpone(_ delivery: Delivery, until due: Int64, line: String?) async throws(QueueError) {
    do throws(QueueError) {
      try await source.postpone(delivery, until: due, line: line)
    } catch .leaseLost {}
  }
}
