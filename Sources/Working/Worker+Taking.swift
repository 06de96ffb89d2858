internal import Enriching
internal import Measuring
internal import Queueing
internal import Supporting

/// How a worker receives.
extension Worker {
  /// The next deliveries, for which there is capacity and a slot; nil when no more are to be taken.
  func take(_ inFlight: InFlightDeliveries) async -> ([Delivery], [SlotReservation])? {
    var pause = Backoff()
    while true {
      guard let free = await inFlight.waitForCapacity() else { return nil }
      guard let allowed = await storeAllowance(among: inFlight) else {
        guard inFlight.closing == nil, !Task.isCancelled else { return nil }
        continue
      }
      // Payloads are taken even without slots, as when a disk or all servers hang: they go out unmodified, on
      // time.
      let slots = await slots(upTo: min(free, allowed, Self.maximumBatch), inFlight)
      guard inFlight.closing == nil, !Task.isCancelled else { return nil }
      do throws(QueueError) {
        status.begin(.receiving)
        let limit = slots.isEmpty ? min(free, allowed, settings.concurrency) : slots.count
        guard let deliveries = try await receive(limit, inFlight) else { return nil }
        status.succeed(.receiving)
        log.over(.taking)
        if deliveries.isEmpty {
          if allowed == 1 { noteNothingToTry() }
          if inFlight.stopTime != nil { await inFlight.pause(&pause) }
          // Not even on lease with a worker that may have died. A queue that cannot tell ends with nil.
          if settings.stopsWhenEmpty, inFlight.isEmpty, (try? await source.isEmpty) == true { return nil }
          continue
        }
        FaultPoint.reach(.received)
        measurements.receive(deliveries.count)
        inFlight.enter(deliveries)
        return (deliveries, slots)
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
  }

  /// A worker that has been told to stop waits for slots no longer than its last payloads may take.
  private func slots(upTo count: Int, _ inFlight: InFlightDeliveries) async -> [SlotReservation] {
    let mayGoBack = mayReturn
    guard let stop = inFlight.stopTime else {
      return await enricher.reserveSlots(upTo: count, mayGoBack: mayGoBack)
    }
    return await Deadline(settings.deadline, from: stop).limit { [enricher] in
      await enricher.reserveSlots(upTo: count, mayGoBack: mayGoBack)
    } ?? []
  }

  /// - Returns: nil when no more are to be taken.
  private func receive(_ limit: Int, _ inFlight: InFlightDeliveries) async throws(QueueError) -> [Delivery]? {
    guard let stop = inFlight.stopTime else {
      // Not for long if the worker stops when there is none.
      return try await source.receive(
        limit, waitingUpTo: .milliseconds(settings.stopsWhenEmpty ? 50 : 500))
    }
    return try await drainable?.receiveRest(limit, waits: .now < stop + settings.deadline)
  }

  /// Renews the leases of what is in flight, until the task is cancelled.
  func renewLeases(each pause: Duration, among inFlight: InFlightDeliveries) async {
    while (try? await Task.sleep(for: pause)) != nil {
      do throws(QueueError) {
        try await source.extend(inFlight.deliveries)
        log.over(.extending)
      } catch {
        log.trouble(.extending, error)
      }
    }
  }

  /// Drops messages that were read and cannot be put back.
  /// - Returns: how many.
  func dropRest() async -> Int {
    var count = 0
    while let rest = try? await drainable?.receiveRest(Self.maximumBatch, waits: false),
      !rest.isEmpty
    {
      count += rest.count
      for delivery in rest { _ = try? await source.settle(delivery, publishing: []) }
    }
    return count
  }
}
