package import Measuring
package import Queueing
internal import Supporting

/// Sends the messages of a queue to a sink as they are, in batches. A message stays on lease until the sink has
/// taken it, or until its dead letter is written.
package final class Forwarder: Sendable {
  private static let maximumBatch = 128
  /// The limit of a batch if the target takes even fewer messages in a second. With smaller batches, the messages
  /// in flight would take more memory.
  private static let smallBatch = 16
  package static let maximumInFlight = 512
  /// The limit for all messages in flight, in bytes: three times what APNs' windows of 64 KB let through on eight
  /// connections. With 1 MB, threads wait for each other more often. More brings nothing but the memory that it takes.
  private static let maximumSize = 1_572_864
  /// The limit if the target numbers the messages, because it then keeps copies of them.
  private static let maximumNumberedSize = 524_288
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
  private let batchLimit: Int
  private let numbers: Bool
  let log: WorkLog
  let status: WorkStatus
  let measurements: Measurements
  let order = DeviceOrder()

  /// - Parameters:
  ///   - numbers: whether the target gives the messages positions (`APNsSink.number`).
  ///   - rate: how many messages the target takes in a second. Nil means as many as come. A low rate makes batches
  ///     smaller: their messages are settled together, so if the process is killed, they are sent again.
  package init(
    from source: any Source, to target: any Sink, deadLetters: any Sink, stopsWhenEmpty: Bool,
    numbers: Bool = false, rate: Int? = nil, log: WorkLog,
    status: WorkStatus = WorkStatus(), measurements: Measurements = Measurements()
  ) {
    postponement = Postponement(source, sendsToDevices: true)
    (self.measurements, self.numbers) = (measurements, numbers)
    batchLimit = min(max(rate ?? Self.maximumBatch, Self.smallBatch), Self.maximumBatch)
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
      limit: Self.maximumInFlight, transfers: 0,
      memory: (numbers ? Self.maximumNumberedSize : Self.maximumSize) * 12,
      hasMedia: false, gathers: true)
    try await inFlight.run({ await forward(inFlight) }, from: source, status) { [target, drainable] in
      guard let target = target as? any StoppableSink else { return }
      // Messages that can go back to their queue need not wait for a host that does not answer.
      if drainable != nil { try? await Task.sleep(for: Self.stopTime) }
      target.stop()
    }
  }

  private func forward(_ inFlight: InFlightDeliveries) async {
    let renewal = source.leaseTime.map { time in
      Task { await source.renewLeases(each: time / 3, among: inFlight, log) }
    }
    await withDiscardingTaskGroup { group in
      var number = 0
      while let batch = await take(inFlight, &number) {
        group.addTask { await self.send(batch, inFlight) }
      }
      status.stop()
    }
    renewal?.cancel()
  }

  /// Takes the next deliveries. Returns nil if no more are to be taken.
  /// - Parameter number: the number of the next message.
  private func take(_ inFlight: InFlightDeliveries, _ number: inout Int) async -> ForwardedBatch? {
    var pause = Backoff()
    while let free = await inFlight.waitForCapacity(), inFlight.closing == nil, !Task.isCancelled {
      do throws(QueueError) {
        status.begin(.receiving)
        guard let deliveries = try await receive(min(free, batchLimit), inFlight) else { return nil }
        let taken = ForwardedBatch(deliveries, from: number)
        number += deliveries.count
        let batch = try await sift(taken, inFlight)
        status.succeed(.receiving)
        log.over(.taking)
        guard batch.items.isEmpty else {
          inFlight.enter(batch.items.map(\.delivery))
          measurements.receive(batch.items.count)
          return batch
        }
        if !deliveries.isEmpty { continue }
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

  /// Puts aside messages that are not to be sent now, and enters the others into `order`.
  private func sift(
    _ batch: ForwardedBatch, _ inFlight: InFlightDeliveries
  ) async throws(QueueError) -> ForwardedBatch {
    order.enter(batch.items)
    guard let postponement, !batch.items.isEmpty else { return batch }
    var batch = batch
    do throws(QueueError) {
      let due = try await postponement.sift(batch.items.map(\.delivery), among: inFlight)
      guard due.count < batch.items.count else { return batch }
      measurements.postpone(batch.items.count - due.count)
      let receipts = Set(due.map(\.receipt))
      order.leave(batch.items.filter { !receipts.contains($0.delivery.receipt) })
      batch.items.removeAll { !receipts.contains($0.delivery.receipt) }
      return batch
    } catch {
      order.leave(batch.items)
      throw error
    }
  }

  private func receive(_ limit: Int, _ inFlight: InFlightDeliveries) async throws(QueueError) -> [Delivery]? {
    guard let stop = inFlight.stopTime else {
      return try await source.receive(limit, waitingUpTo: .milliseconds(stopsWhenEmpty ? 50 : 500))
    }
    return try await drainable?.receiveRest(limit, waits: .now < stop + Self.stopTime)
  }
}
