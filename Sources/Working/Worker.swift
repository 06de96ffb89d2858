package import Enriching
internal import Fetching
package import Measuring
internal import Notifications
package import Queueing
internal import Supporting
internal import Synchronization

/// Takes payloads from a queue, enriches them, publishes the results and acknowledges, in this
/// order for each payload. Takes no more than it can process at once, plus a few that wait for
/// their hosts, because the deadline of a payload counts from its receipt.
package final class Worker: Sendable {
  /// A message with more hand-outs is assumed to kill workers. RabbitMQ also counts releases.
  package static let maximumAttempts = 3
  /// How many payloads to take at once. With more, the last would wait for the others to start.
  static let maximumBatch = 16

  let enricher: Enricher
  let source: any Source
  /// `source`, if it may hold messages that it has not handed out yet.
  let prefetching: (any PrefetchingSource)?
  /// `source`, if it has to be drained.
  let drainable: (any DrainableSource)?
  let target: any Sink
  /// Nil if nothing is put aside.
  let postponement: Postponement?
  let deadLetters: any Sink
  let settings: WorkSettings
  let log: WorkLog
  let status: WorkStatus
  let measurements: Measurements
  /// Whether the queue takes messages back. False once it has refused one.
  let takesBack = Atomic(true)
  let storeOutage = Mutex(StoreOutage())

  package init(
    enricher: Enricher, from source: any Source, to target: any Sink, deadLetters: any Sink,
    settings: WorkSettings, log: WorkLog, status: WorkStatus = WorkStatus(),
    measurements: Measurements = Measurements()
  ) {
    self.enricher = enricher
    self.source = source
    prefetching = source as? any PrefetchingSource
    drainable = source as? any DrainableSource
    self.target = target
    postponement = Postponement(source, sendsToDevices: settings.sendsToDevices)
    self.deadLetters = deadLetters
    self.settings = settings
    self.log = log
    self.status = status
    self.measurements = measurements
    if drainable != nil { status.expectOrder(deadline: settings.deadline) }
  }

  /// The most messages that are in flight at once: those that fetch media, and as many that wait for their hosts or
  /// whose results are being published.
  package static func maximumInFlight(_ settings: WorkSettings, _ enricher: Enricher) -> Int {
    settings.concurrency + max(settings.concurrency, enricher.maximumWaiting)
  }

  /// Works until a graceful shutdown or the end of the source, then finishes what is in flight. If
  /// the task is cancelled, gives back what is in flight.
  /// - Throws: the error of a queue that refused, or that was unavailable when the process was told
  ///   to stop. Unpublished messages go back to the source, at the latest when the process ends.
  package func run() async throws(QueueError) {
    let inFlight = InFlightDeliveries(
      limit: Self.maximumInFlight(settings, enricher), transfers: enricher.transfers.slots,
      memory: enricher.memoryLimit)
    try await inFlight.run({ await work(on: inFlight) }, from: source, status)
  }

  private func work(on inFlight: InFlightDeliveries) async {
    await tryStoreAtStart()
    let limit = Self.maximumInFlight(settings, enricher)
    prefetching?.prefetch(upTo: Prefetch(places: enricher.transfers.slots, limit: limit))
    let renewal = source.leaseTime.map { time in
      Task { await source.renewLeases(each: time / 3, among: inFlight, log) }
    }
    defer { renewal?.cancel() }
    // Keeps a task for each payload in flight. New ones would leave holes in the heap, 0.3 MB in
    // all.
    let tasks = TaskPool(keeping: limit)
    await withTaskCancellationHandler {
      while let (deliveries, places) = await take(inFlight) {
        for (index, delivery) in deliveries.enumerated() {
          // For messages that are taken after the stop, the deadline counts from the stop.
          let received = min(delivery.arrival, inFlight.stopTime ?? delivery.arrival)
          let place = index < places.count ? places[index] : nil
          let job = Job(delivery: delivery, received: received, place: place)
          let work = tasks.run { [self] in await handle(job, as: $0, of: tasks, among: inFlight) }
          delivery.withdrawal?.arm { work.cancel() }
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
    /// When the deadline begins to count.
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

  /// The result to publish. A message that is not a valid payload, or that kills workers, is not
  /// modified. This is a separate function, so that its frame is freed while the result waits.
  /// - Parameter giveUp: gets the result at the deadline, or when `work` is cancelled.
  /// - Returns: nil if `giveUp` got the result.
  private func result(
    of job: Job, as work: PooledOperation, orElse giveUp: @escaping @Sendable (WorkResult) -> Void
  ) async -> WorkResult? {
    let message = job.delivery.message
    let push: PushMessage
    do throws(Failure) {
      push = try read(job.delivery)
    } catch {
      // Nothing is fetched for this message, and its dead letter may wait for long.
      job.place?.release()
      return WorkResult(unmodified: message, because: error)
    }
    let enrichment = await enricher.enrich(
      push, pushType: message.pushType, received: job.received, using: job.place,
      recording: EnrichmentProgress(recordsPaths: false), as: work
    ) { giveUp(WorkResult($0, of: message)) }
    return enrichment.map { WorkResult($0, of: message) }
  }

  @inline(never)  // see `TaskPool`
  private func conclude(_ job: Job, _ result: WorkResult, among inFlight: InFlightDeliveries) async {
    // From here on, the result is published, even if its client goes away.
    let isWithdrawn = job.delivery.withdrawal?.disarm() == true
    // The worker is cancelled. A deadline cancels the task of `work`, but never this one.
    if Task.isCancelled || isWithdrawn {
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
    // Done before the capacity is freed, or the next delivery would count in addition to this one.
    measurements.leave()
    inFlight.leave(job.delivery)
  }

  /// - Throws: why the message is not modified: it is not a valid payload, or kills workers.
  private func read(_ delivery: Delivery) throws(Failure) -> PushMessage {
    guard delivery.attempt <= Self.maximumAttempts else {
      throw Failure(.poison, "it was handed out \(delivery.attempt - 1) times without being settled")
    }
    if let fault = delivery.message.fault { throw Failure(.invalidPayload, fault) }
    do throws(PayloadError) {
      let isMarked = settings.markSize > 0 && delivery.message.header(anyCase: Message.deviceIDHeader) != nil
      return try PushMessage(
        delivery.message.body, enricher.envelopes, reserving: isMarked ? settings.markSize : 0)
    } catch {
      throw Failure(.invalidPayload, "\(error)")
    }
  }
}

extension QueueError {
  /// The same error, with the number of messages that were read and are lost.
  func losing(_ count: Int) -> QueueError {
    guard count > 0 else { return self }
    let payloads = count == 1 ? "payload that was read before is" : "payloads that were read before are"
    let text = "\(self); \(count) \(payloads) no longer in any queue"
    if case .unavailable = self { return .unavailable(text) }
    return .refused(text)
  }
}
