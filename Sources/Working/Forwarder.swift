package import Measuring
package import Queueing
internal import ServiceLifecycle
internal import Supporting

/// Sends the messages of a queue to a sink as they are, in batches. A message stays on lease until the sink has
/// taken it, or until its dead letter is written.
package final class Forwarder: Sendable {
  private static let maximumBatch = 64
  package static let maximumInFlight = 512
  /// Of all messages in flight, in bytes. With 4 MB, sending took 13 MB.
  private static let maximumSize = 2_097_152
  /// How long a forwarder that was told to stop tries to send what cannot be put back, such as lines.
  package static let stopTime = Duration.seconds(30)

  let source: any Source
  /// `source`, if it has to be drained.
  let drainable: (any DrainableSource)?
  let target: any Sink
  /// Nil if nothing is put aside.
  let postponement: Postponement?
  let deadLetters: any Sink
  private let stopsWhenEmpty: Bool
  let log: WorkLog
  let status: WorkStatus
  let measurements: Measurements
  let order = DeviceOrder()

  package init(
    from source: any Source, to target: any Sink, deadLetters: any Sink, stopsWhenEmpty: Bool, log: WorkLog,
    status: WorkStatus = WorkStatus(), measurements: Measurements = Measurements()
  ) {
    postponement = Postponement(source, sendsToDevices: true)
    self.measurements = measurements
    (self.source, drainable, self.target) = (source, source as? any DrainableSource, target)
    (self.deadLetters, self.stopsWhenEmpty, self.log, self.status) = (
      deadLetters, stopsWhenEmpty, log, status
    )
  }

  /// Works until a graceful shutdown or the end of the source. Then waits for the answers to what has been sent,
  /// and gives back the rest.
  /// - Throws: the error of a queue that refused.
  package func run() async throws(QueueError) {
    let inFlight = InFlightDeliveries(
      limit: Self.maximumInFlight, transfers: 0, memory: Self.maximumSize * 12, hasMedia: false)
    await withGracefulShutdownHandler {
      await forward(inFlight)
    } onGracefulShutdown: { [drainable, status] in
      inFlight.stop()
      status.stop()
      Task { await drainable?.stopReceiving() }
    }
    let lost = inFlight.closing == nil ? 0 : await drainable?.dropRest() ?? 0
    await drainable?.finish()
    if let error = inFlight.closing { throw error.losing(lost) }
  }

  private func forward(_ inFlight: InFlightDeliveries) async {
    let renewal = source.leaseTime.map { time in
      Task { await source.renewLeases(each: time / 3, among: inFlight, log) }
    }
    await withDiscardingTaskGroup { group in
      var number = 0
      while let deliveries = await take(inFlight) {
        let batch = ForwardedBatch(deliveries, from: number)
        number += deliveries.count
        // Runs at once until the sink has the batch. Otherwise another task could give it a later batch first, and
        // pushes to a device would overtake each other.
        group.addImmediateTask { await self.send(batch, inFlight) }
      }
      status.stop()
    }
    renewal?.cancel()
  }

  /// Takes the next deliveries. Returns nil if no more are to be taken.
  private func take(_ inFlight: InFlightDeliveries) async -> [Delivery]? {
    var pause = Backoff()
    while let free = await inFlight.waitForCapacity(), inFlight.closing == nil, !Task.isCancelled {
      do throws(QueueError) {
        status.begin(.receiving)
        let time = WallClock.milliseconds
        guard var deliveries = try await receive(min(free, Self.maximumBatch), inFlight) else { return nil }
        let isEmpty = deliveries.isEmpty
        if !isEmpty, let postponement {
          let due = try await postponement.sift(deliveries, receivedAfter: time)
          measurements.postpone(deliveries.count - due.count)
          deliveries = due
        }
        status.succeed(.receiving)
        log.over(.taking)
        guard deliveries.isEmpty else {
          inFlight.enter(deliveries)
          measurements.receive(deliveries.count)
          return deliveries
        }
        if !isEmpty { continue }
        if inFlight.stopTime != nil { await inFlight.pause(&pause) }
        // Leases count, because their process may have died. Queues that cannot tell end with nil.
        if stopsWhenEmpty, inFlight.isEmpty, (try? await source.isEmpty) == true { return nil }
      } catch {
        status.fail(.receiving)
        measurements.failToReceive()
        guard case .unavailable = error else {
          inFlight.close(because: error)
          return nil
        }
        log.trouble(.taking, error)
        await inFlight.pause(&pause)
      }
    }
    return nil
  }

  private func receive(_ limit: Int, _ inFlight: InFlightDeliveries) async throws(QueueError) -> [Delivery]? {
    guard let stop = inFlight.stopTime else {
      return try await source.receive(limit, waitingUpTo: .milliseconds(stopsWhenEmpty ? 50 : 500))
    }
    return try await drainable?.receiveRest(limit, waits: .now < stop + Self.stopTime)
  }
}

/// Deliveries that were taken together, and are not settled yet.
struct ForwardedBatch: Sendable {
  struct Item: Sendable {
    let delivery: Delivery
    /// Counts the messages in the order of their receipt.
    let number: Int
    /// When to send it.
    var due = ContinuousClock.now
    /// Why the sink rejects it; nil as long as it does not.
    var rejection: Rejection?
  }

  var items: [Item]

  init(_ deliveries: [Delivery], from number: Int) {
    let now = ContinuousClock.now
    items = deliveries.enumerated().map { Item(delivery: $1, number: number + $0, due: now) }
  }
}
