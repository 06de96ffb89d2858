internal import Enriching
internal import Measuring
internal import Queueing

/// How a worker comes by what it works on.
extension Worker {
  /// The next deliveries, for which there is a place at the desk and room in memory; nil when no more are to be taken.
  func take(_ desk: Desk) async -> ([Delivery], [Room])? {
    var pause = Backoff()
    while true {
      let free = await desk.waitForPlace()
      // Without any, because a disk hangs or all servers do, they are taken as well: they go out as they came, on time.
      let rooms = await rooms(upTo: min(free, Self.maximumBatch), desk)
      guard desk.closing == nil else { return nil }
      do throws(QueueError) {
        status.begin(.receiving)
        let limit = rooms.isEmpty ? min(free, settings.concurrency) : rooms.count
        guard let deliveries = try await receive(limit, desk) else { return nil }
        status.succeed(.receiving)
        log.over(.taking)
        if deliveries.isEmpty {
          if desk.stopTime != nil { await pause.wait() }
          if settings.stopsWhenEmpty, desk.isEmpty, await isDrained() { return nil }
          continue
        }
        FaultPoint.reach(.received)
        measurements.receive(deliveries.count)
        desk.enter(deliveries)
        return (deliveries, rooms)
      } catch {
        status.fail(.receiving)
        measurements.failToReceive()
        guard case .unavailable = error else {
          desk.close(because: error)
          return nil
        }
        log.trouble(.taking, error)
        await pause.wait()
      }
    }
  }

  /// Of a worker that has been told to stop, none are waited for any longer than its last payloads may take.
  private func rooms(upTo count: Int, _ desk: Desk) async -> [Room] {
    guard let stop = desk.stopTime else { return await enricher.rooms(upTo: count) }
    return await Deadline(settings.deadline, from: stop).limit { await enricher.rooms(upTo: count) } ?? []
  }

  /// - Returns: nil when no more are to be taken.
  private func receive(_ limit: Int, _ desk: Desk) async throws(QueueError) -> [Delivery]? {
    guard let stop = desk.stopTime else { return try await source.receive(limit, patience: patience) }
    return try await source.receiveRest(limit, waits: .now < stop + settings.deadline)
  }

  /// For the next message. Who stops when there is none looks soon whether it was the last.
  private var patience: Duration { .milliseconds(settings.stopsWhenEmpty ? 50 : 500) }

  /// Whether nothing is left, not even with a worker that may have died. A queue that cannot be looked at says by itself when it ends.
  private func isDrained() async -> Bool {
    (try? await source.isEmpty) ?? false
  }

  /// What no queue takes back and nobody will publish.
  /// - Returns: how many they are.
  func dropRest() async -> Int {
    var count = 0
    while let rest = try? await source.receiveRest(Self.maximumBatch, waits: false), !rest.isEmpty {
      count += rest.count
      for delivery in rest { try? await source.settle(delivery, publishing: []) }
    }
    return count
  }
}
