internal import Enriching
internal import Fetching
internal import Measuring
internal import Queueing
internal import Supporting

extension Worker {
  /// Takes the next deliveries with places for their media. Returns nil if no more are to be taken.
  func take(_ inFlight: InFlightDeliveries) async -> ([Delivery], [PlaceReservation])? {
    var pause = Backoff()
    while true {
      // Otherwise, more and more would wait in memory while APNs refuses the key.
      while settings.sendsToDevices, status.isPublishingFailing, !inFlight.isEmpty, inFlight.stopTime == nil,
        !Task.isCancelled
      {
        await inFlight.pause(&pause)
      }
      guard let free = await inFlight.waitForCapacity() else { return nil }
      guard let allowed = await storeAllowance(among: inFlight) else {
        guard inFlight.closing == nil, !Task.isCancelled, await !isDone(inFlight) else { return nil }
        continue
      }
      // Payloads are taken even without places, as when all servers hang. They go out unmodified,
      // but on time.
      let places = await places(upTo: min(free, allowed, Self.maximumBatch), inFlight)
      guard inFlight.closing == nil, !Task.isCancelled else { return nil }
      do throws(QueueError) {
        status.begin(.receiving)
        let limit = places.isEmpty ? min(free, allowed, settings.concurrency) : places.count
        guard var deliveries = try await receive(limit, inFlight) else { return nil }
        let isEmpty = deliveries.isEmpty
        if !isEmpty, let postponement {
          let due = try await postponement.sift(deliveries, among: inFlight)
          measurements.postpone(deliveries.count - due.count)
          deliveries = due
        }
        status.succeed(.receiving)
        log.over(.taking)
        if !isEmpty, deliveries.isEmpty { continue }
        if deliveries.isEmpty {
          if allowed == 1 { noteNothingToTry() }
          if inFlight.stopTime != nil { await inFlight.pause(&pause) }
          if await isDone(inFlight) { return nil }
          continue
        }
        FaultPoint.reach(.received)
        measurements.receive(deliveries.count)
        inFlight.enter(deliveries)
        return (deliveries, places)
      } catch {
        status.fail(.receiving)
        measurements.failToReceive()
        guard case .unavailable = error else {
          inFlight.close(because: error)
          return nil
        }
        // A door fails only until it is open.
        log.trouble(settings.takesFromDoor ? .opening : .taking, error)
        await inFlight.pause(&pause)
      }
    }
  }

  /// Whether the worker ends because its queue is empty. Leases count, because their worker may have died.
  /// Queues that cannot tell end with nil.
  private func isDone(_ inFlight: InFlightDeliveries) async -> Bool {
    guard settings.stopsWhenEmpty, inFlight.isEmpty else { return false }
    return (try? await source.isEmpty) == true
  }

  /// A worker that has been told to stop waits for places no longer than its last payloads may take.
  private func places(upTo count: Int, _ inFlight: InFlightDeliveries) async -> [PlaceReservation] {
    let mayGoBack = mayReturn
    guard let stop = inFlight.stopTime else {
      return await enricher.reservePlaces(upTo: count, mayGoBack: mayGoBack)
    }
    return await Deadline(settings.deadline, from: stop).limit { [enricher] in
      await enricher.reservePlaces(upTo: count, mayGoBack: mayGoBack)
    } ?? []
  }

  private func receive(_ limit: Int, _ inFlight: InFlightDeliveries) async throws(QueueError) -> [Delivery]? {
    guard let stop = inFlight.stopTime else {
      return try await source.receive(limit, waitingUpTo: .milliseconds(settings.stopsWhenEmpty ? 50 : 500))
    }
    return try await prefetching?.receiveRest(limit, waits: .now < stop + settings.deadline)
  }
}

extension Source {
  /// Renews the leases of all deliveries in flight until the task is cancelled.
  func renewLeases(each pause: Duration, among inFlight: InFlightDeliveries, _ log: WorkLog) async {
    while (try? await Task.sleep(for: pause)) != nil {
      do throws(QueueError) {
        try await extend(inFlight.deliveries)
        log.over(.extending)
      } catch {
        log.trouble(.extending, error)
      }
    }
  }
}

extension DrainableSource {
  /// Drops messages that were read and cannot be put back, and counts them.
  func dropRest() async -> Int {
    var count = 0
    while let rest = try? await receiveRest(Worker.maximumBatch, waits: false), !rest.isEmpty {
      count += rest.count
      for delivery in rest { _ = try? await settle(delivery, publishing: []) }
    }
    return count
  }
}
