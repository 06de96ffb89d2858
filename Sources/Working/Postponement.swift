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
    var (due, asides, left) = ([Delivery](), [Aside](), deliveries)
    do throws(QueueError) {
      for (delivery, end) in zip(deliveries, try await source.due(before: deliveries)) {
        // A time that cannot be read is the sink's to reject.
        let own = (try? delivery.message.sendAt) ?? 0
        if own > max(end ?? 0, WallClock.milliseconds) {
          // Without a line, so later messages of the device do not wait for it.
          asides.append(Aside(delivery: delivery, until: own, line: nil))
        } else if let end {
          asides.append(Aside(delivery: delivery, until: end, line: delivery.message.line))
        } else {
          due.append(delivery)
        }
      }
      left = due
      let failed = await postpone(asides)
      left += failed.map(\.delivery)
      if let error = failed.first?.error { throw error }
    } catch {
      await source.release(left, among: inFlight) {
        Task.isCancelled || inFlight.stopTime != nil || inFlight.closing != nil
      }
      throw error
    }
    return due
  }

  private struct Aside: Sendable {
    let delivery: Delivery
    let until: Int64
    let line: String?
  }

  private struct Failed: Sendable {
    let delivery: Delivery
    let error: QueueError
  }

  /// Puts messages aside, all at once, so that their store does it in one transaction.
  /// - Returns: those that were not put aside.
  private func postpone(_ asides: [Aside]) async -> [Failed] {
    await withTaskGroup(of: Failed?.self) { group in
      for aside in asides {
        group.addTask {
          do throws(QueueError) {
            try await postpone(aside.delivery, until: aside.until, line: aside.line)
            return nil
          } catch {
            return Failed(delivery: aside.delivery, error: error)
          }
        }
      }
      return await group.reduce(into: []) { failed, one in if let one { failed.append(one) } }
    }
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
