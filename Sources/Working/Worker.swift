package import Enriching
package import Measuring
internal import Notifications
package import Queueing
internal import ServiceLifecycle

/// Takes payloads from a queue, enriches them, publishes what came of them, acknowledges: in this order, for each by itself.
///
/// No more are taken than can be worked on at once, but for a few that wait for hosts that have not answered yet: what waits in here waits with
/// its thirty seconds running.
package struct Worker: Sendable {
  /// Hand-outs after which a message is held to have killed whoever worked on it.
  package static let maximumAttempts = 3
  /// Payloads that are taken at once: of more, the last would wait for the first to be begun.
  static let maximumBatch = 16

  let enricher: Enricher
  let source: any Queue
  private let target: any Queue
  private let deadLetters: any Queue
  let settings: WorkSettings
  let log: WorkLog
  let status: WorkStatus
  let measurements: Measurements

  package init(
    enricher: Enricher, from source: any Queue, to target: any Queue, deadLetters: any Queue,
    settings: WorkSettings, log: WorkLog, status: WorkStatus = WorkStatus(),
    measurements: Measurements = Measurements()
  ) {
    self.enricher = enricher
    self.source = source
    self.target = target
    self.deadLetters = deadLetters
    self.settings = settings
    self.log = log
    self.status = status
    self.measurements = measurements
    if source.settlesInOrder { status.expectOrder(deadline: settings.deadline) }
  }

  /// Messages that are worked on at once, at most: those who wait for their hosts have places of their own.
  package static func places(_ settings: WorkSettings, _ enricher: Enricher) -> Int {
    settings.concurrency + enricher.maximumWaiting
  }

  /// Works until a graceful shutdown, or the end of the source; what is in flight then is finished first.
  /// - Throws: what a queue refuses, or what it was away with when the process was told to stop. What is not published then has
  ///   been given back to the source.
  package func run() async throws(QueueError) {
    let desk = Desk(places: Self.places(settings, enricher))
    // At once, although it may be waiting for a place.
    await withGracefulShutdownHandler {
      await work(at: desk)
    } onGracefulShutdown: { [source, status] in
      desk.stop()
      status.stop()
      Task { await source.stopReceiving() }
    }
    if let error = desk.closing { throw error.losing(await dropRest()) }
  }

  private func work(at desk: Desk) async {
    await withTaskGroup(of: Void.self) { group in
      let leases = LeaseKeeper(
        source: source, desk: desk, leaseDuration: settings.leaseDuration, log: log)
      group.addTask { await leases.run() }
      await withDiscardingTaskGroup { work in
        while let (deliveries, rooms) = await take(desk) {
          for (index, delivery) in deliveries.enumerated() {
            // The thirty seconds began before the stop for what is taken after it.
            let received = min(delivery.arrival, desk.stopTime ?? delivery.arrival)
            let room = index < rooms.count ? rooms[index] : nil
            work.addTask {
              await handle(delivery, received: received, in: room, at: desk)
              // First, or whoever is taken for the place is counted beside this one.
              measurements.leave()
              desk.leave(delivery)
            }
          }
        }
        status.stop()
      }
      group.cancelAll()
    }
  }

  private func handle(
    _ delivery: Delivery, received: ContinuousClock.Instant, in room: Room?, at desk: Desk
  ) async {
    let result = await result(of: delivery, received: received, in: room)
    FaultPoint.reach(.enriched)
    await settle(delivery, result, received: received, at: desk)
    FaultPoint.reach(.settled)
  }

  /// What is to be published. Never an error: a message that is no payload, or that kills workers, goes on as it came.
  private func result(
    of delivery: Delivery, received: ContinuousClock.Instant, in room: Room?
  ) async -> WorkResult {
    guard delivery.attempt <= Self.maximumAttempts else {
      return WorkResult(
        unmodified: delivery.message, reason: .poison,
        detail: "it was being worked on in \(delivery.attempt - 1) crashes")
    }
    guard delivery.message.header(Message.cutHeaders) == nil else {
      return WorkResult(
        unmodified: delivery.message, reason: .invalidPayload,
        detail: "its headers are too long, and were cut")
    }
    let payload: Payload
    do throws(PayloadError) {
      payload = try Payload(delivery.message.body)
    } catch {
      return WorkResult(unmodified: delivery.message, reason: .invalidPayload, detail: "\(error)")
    }
    let enrichment = await enricher.enrich(
      payload, pushType: delivery.message.pushType, received: received, in: room)
    return WorkResult(enrichment, of: delivery.message)
  }

  /// Publishes and acknowledges, however long the queue is away: the lease is kept meanwhile. A worker that has been told to stop
  /// does not wait for ever, and one that is refused does not wait at all.
  private func settle(
    _ delivery: Delivery, _ result: WorkResult, received: ContinuousClock.Instant, at desk: Desk
  ) async {
    var publications = [Publication(result.message, into: target)]
    // First: whoever is given the message next does all of it again, and a record that comes twice harms nobody, a push does.
    if result.isDeadLetter { publications.insert(Publication(result.message, into: deadLetters), at: 0) }
    let end = received + settings.patienceWhileStopping
    var pause = Backoff()
    var mayBeDone = false
    while true {
      status.begin(.publishing)
      let start = ContinuousClock.now
      do throws(QueueError) {
        try await source.settle(delivery, publishing: publications)
        status.succeed(.publishing)
        measurements.publish(
          result.failure, result.report, isDeadLetter: result.isDeadLetter, after: .now - start)
        return log.outcome(result)
      } catch {
        measurements.failToPublish(error.kind)
        // A lease that is lost is an answer of a queue that works.
        if case .leaseLost = error { status.succeed(.publishing) } else { status.fail(.publishing) }
        switch error {
        case .leaseLost:
          return log.trouble(
            mayBeDone ? "a result was published already, or is dropped" : "a result is dropped", error)
        case .unavailable where !isOver(end, desk):
          log.trouble("a result cannot be published, trying again", error)
          // Or its answer was lost on the way.
          mayBeDone = true
          await pause.wait()
        case .unavailable, .refused, .urlInvalid:
          desk.close(because: error)
          // If this fails too, the lease runs out. Lines behind this one do not wait for it any more.
          try? await source.release([delivery])
          return log.trouble("a result cannot be published, its message is given back", error)
        }
      }
    }
  }

  private func isOver(_ end: ContinuousClock.Instant, _ desk: Desk) -> Bool {
    (Task.isShuttingDownGracefully || desk.closing != nil) && ContinuousClock.now >= end
  }
}
