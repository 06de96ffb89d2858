package import Enriching
internal import Fetching
package import Measuring
internal import Notifications
package import Queueing
internal import ServiceLifecycle
internal import Supporting
internal import Synchronization

/// Takes payloads from a queue, enriches them, publishes the results and acknowledges, in this order for each
/// payload. Takes no more than it can process at once, and a few that wait for their hosts, because the
/// deadline of a payload runs from its receipt.
package final class Worker: Sendable {
  /// A message that is handed out more often is assumed to kill workers. RabbitMQ counts releases, too.
  package static let maximumAttempts = 3
  /// Payloads that are taken at once: with more, the last would wait until the others were started.
  static let maximumBatch = 16

  let enricher: Enricher
  let source: any Source
  /// `source`, if it has to be drained.
  let drainable: (any DrainableSource)?
  let target: any Sink
  let deadLetters: any Sink
  let settings: WorkSettings
  let log: WorkLog
  let status: WorkStatus
  let measurements: Measurements
  /// Whether the queue takes messages back, as far as is known.
  let takesBack = Atomic(true)
  let storeOutage = Mutex(StoreOutage())

  package init(
    enricher: Enricher, from source: any Source, to target: any Sink, deadLetters: any Sink,
    settings: WorkSettings, log: WorkLog, status: WorkStatus = WorkStatus(),
    measurements: Measurements = Measurements()
  ) {
    self.enricher = enricher
    self.source = source
    drainable = source as? any DrainableSource
    self.target = target
    self.deadLetters = deadLetters
    self.settings = settings
    self.log = log
    self.status = status
    self.measurements = measurements
    if drainable != nil { status.expectOrder(deadline: settings.deadline) }
  }

  /// The most messages that are in flight at once, including those that wait for their hosts.
  package static func maximumInFlight(_ settings: WorkSettings, _ enricher: Enricher) -> Int {
    settings.concurrency + enricher.maximumWaiting
  }

  /// Works until a graceful shutdown, or the end of the source, and finishes what is in flight then. If the
  /// task is cancelled, it gives back what is in flight.
  /// - Throws: the error of a queue that refuses, or that was unavailable when the process was told to stop.
  ///   What could not be published has been given back to the source.
  package func run() async throws(QueueError) {
    let inFlight = InFlightDeliveries(
      limit: Self.maximumInFlight(settings, enricher), transfers: enricher.transfers.slots)
    // The handler runs at once, although `work` may be waiting for capacity.
    await withGracefulShutdownHandler {
      await work(on: inFlight)
    } onGracefulShutdown: { [drainable, status] in
      inFlight.stop()
      status.stop()
      Task { await drainable?.stopReceiving() }
    }
    if let error = inFlight.closing { throw error.losing(await dropRest()) }
  }

  private func work(on inFlight: InFlightDeliveries) async {
    await tryStoreAtStart()
    let renewal = source.leaseTime.map { time in Task { await renewLeases(each: time / 3, among: inFlight) } }
    defer { renewal?.cancel() }
    // As many as are ever in flight: tasks that come and go leave holes in the heap, 0.3 MB in all.
    let tasks = TaskPool(keeping: Self.maximumInFlight(settings, enricher))
    await withTaskCancellationHandler {
      while let (deliveries, places) = await take(inFlight) {
        for (index, delivery) in deliveries.enumerated() {
          // For what is taken after the stop, the deadline counts from the stop.
          let received = min(delivery.arrival, inFlight.stopTime ?? delivery.arrival)
          let place = index < places.count ? places[index] : nil
          let job = Job(delivery: delivery, received: received, place: place)
          tasks.run { [self] in await handle(job, as: $0, of: tasks, among: inFlight) }
        }
      }
      status.stop()
      await inFlight.waitUntilEmpty()
      tasks.close()
    } onCancel: {
      tasks.cancelAll()
    }
  }

  private struct Job {
    let delivery: Delivery
    /// The deadline counts from there.
    let received: ContinuousClock.Instant
    let place: PlaceReservation?
  }

  private func handle(
    _ job: Job, as work: PooledOperation, of tasks: TaskPool, among inFlight: InFlightDeliveries
  ) async {
    let result = await result(of: job, as: work) { [self] result in
      tasks.run { [self] _ in await conclude(job, result, among: inFlight) }
    }
    if let result { await conclude(job, result, among: inFlight) }
  }

  /// What is to be published: a message that is not a valid payload, or kills workers, as it came. What led
  /// to it is freed with the frame of this function: the result may wait for long.
  /// - Parameter giveUp: gets the result at the deadline, or when `work` is cancelled.
  /// - Returns: nil if `giveUp` has got it.
  private func result(
    of job: Job, as work: PooledOperation, orElse giveUp: @escaping @Sendable (WorkResult) -> Void
  ) async -> WorkResult? {
    let message = job.delivery.message
    let payload: Payload
    do throws(Failure) {
      payload = try read(job.delivery)
    } catch {
      // Nothing is fetched for it, and its dead letter may wait for long.
      job.place?.release()
      return WorkResult(unmodified: message, because: error)
    }
    let enrichment = await enricher.enrich(
      payload, pushType: message.pushType, received: job.received, using: job.place,
      recording: EnrichmentProgress(recordsPaths: false), as: work
    ) { giveUp(WorkResult($0, of: message)) }
    return enrichment.map { WorkResult($0, of: message) }
  }

  @inline(never)  // see `TaskPool`
  private func conclude(_ job: Job, _ result: WorkResult, among inFlight: InFlightDeliveries) async {
    // With the worker: what a deadline has cancelled is concluded on a task that is not.
    if Task.isCancelled {
      try? await source.release([job.delivery])
    } else {
      let end = job.received + settings.publishingTimeoutWhileStopping
      let isToReturn = result.failure?.goesBack == true || storeWantsBack(result)
      let isReturned = isToReturn ? await returnToQueue(job.delivery, until: end, among: inFlight) : false
      if !isReturned {
        FaultPoint.reach(.enriched)
        await settle(job.delivery, result, publishing: publications(of: result), until: end, among: inFlight)
        FaultPoint.reach(.settled)
      }
    }
    // Before the capacity is freed, or the next delivery would be counted beside this one.
    measurements.leave()
    inFlight.leave(job.delivery)
  }

  /// - Throws: why the message is published as it came: it is not a valid payload, or kills workers.
  private func read(_ delivery: Delivery) throws(Failure) -> Payload {
    guard delivery.attempt <= Self.maximumAttempts else {
      throw Failure(.poison, "it was handed out \(delivery.attempt - 1) times without being settled")
    }
    guard delivery.message.header(Message.truncatedHeadersName) == nil else {
      throw Failure(.invalidPayload, "its headers are too long, and were cut")
    }
    do throws(PayloadError) {
      return try Payload(delivery.message.body)
    } catch {
      throw Failure(.invalidPayload, "\(error)")
    }
  }
}

extension QueueError {
  /// The same error, with the number of messages that were read and are lost.
  fileprivate func losing(_ count: Int) -> QueueError {
    guard count > 0 else { return self }
    let text =
      "\(self); \(count) \(count == 1 ? "payload" : "payloads") read before that are in no queue any more"
    if case .unavailable = self { return .unavailable(text) }
    return .refused(text)
  }
}
