package import Enriching
internal import Notifications
package import Queueing
internal import ServiceLifecycle

/// Takes payloads from a queue, enriches them, publishes what came of them, acknowledges: in this order, for each by itself.
///
/// No more are taken than can be worked on at once: what waits in here would wait with its thirty seconds running.
package struct Worker: Sendable {
  /// Hand-outs after which a message is held to have killed whoever worked on it.
  package static let maximumAttempts = 3

  private let enricher: Enricher
  private let source: any Queue
  private let target: any Queue
  private let deadLetters: any Queue
  private let concurrency: Int
  private let stopsWhenEmpty: Bool
  private let log: WorkLog

  /// - Parameters:
  ///   - concurrency: messages that are worked on at once.
  ///   - stopsWhenEmpty: whether an empty source is the end; it is waited on otherwise.
  package init(
    enricher: Enricher, from source: any Queue, to target: any Queue, deadLetters: any Queue,
    concurrency: Int, stopsWhenEmpty: Bool, log: WorkLog
  ) {
    self.enricher = enricher
    self.source = source
    self.target = target
    self.deadLetters = deadLetters
    self.concurrency = concurrency
    self.stopsWhenEmpty = stopsWhenEmpty
    self.log = log
  }

  /// Works until a graceful shutdown, or the end of the source; what is in flight then is finished first.
  package func run() async {
    let desk = Desk(places: concurrency)
    await withTaskGroup(of: Void.self) { group in
      let leases = LeaseKeeper(source: source, desk: desk, log: log)
      group.addTask { await leases.run() }
      await withDiscardingTaskGroup { work in
        while let deliveries = await take(desk) {
          for delivery in deliveries {
            work.addTask {
              await handle(delivery, received: .now)
              desk.leave(delivery)
            }
          }
        }
      }
      group.cancelAll()
    }
  }

  /// The next deliveries, for which there is a place at the desk; nil when no more are to be taken.
  private func take(_ desk: Desk) async -> [Delivery]? {
    var pause = Backoff()
    while !Task.isShuttingDownGracefully {
      let free = await desk.waitForPlace()
      do throws(QueueError) {
        guard let deliveries = try await source.receive(free, patience: .milliseconds(500)) else {
          return nil
        }
        guard !Task.isShuttingDownGracefully else {
          try await source.release(deliveries)
          return nil
        }
        if deliveries.isEmpty {
          if stopsWhenEmpty, desk.isEmpty { return nil }
          continue
        }
        FaultPoint.reach(.received)
        desk.enter(deliveries)
        return deliveries
      } catch {
        log.trouble("nothing can be taken from the queue, trying again", error)
        await pause.wait()
      }
    }
    return nil
  }

  private func handle(_ delivery: Delivery, received: ContinuousClock.Instant) async {
    let result = await result(of: delivery, received: received)
    FaultPoint.reach(.enriched)
    await settle(delivery, result)
    FaultPoint.reach(.settled)
  }

  /// What is to be published. Never an error: a message that is no payload, or that kills workers, goes on as it came.
  private func result(of delivery: Delivery, received: ContinuousClock.Instant) async -> WorkResult {
    guard delivery.attempt <= Self.maximumAttempts else {
      return WorkResult(
        unmodified: delivery.message, reason: .poison,
        detail: "it was being worked on in \(delivery.attempt - 1) crashes")
    }
    let payload: Payload
    do throws(PayloadError) {
      payload = try Payload(delivery.message.body)
    } catch {
      return WorkResult(unmodified: delivery.message, reason: .invalidPayload, detail: "\(error)")
    }
    let type = delivery.message.header("apns-push-type").flatMap { PushType(rawValue: $0) }
    let enrichment = await enricher.enrich(payload, pushType: type, received: received)
    return WorkResult(enrichment, of: delivery.message)
  }

  /// Publishes and acknowledges, however long the queue is away: the lease is kept meanwhile.
  private func settle(_ delivery: Delivery, _ result: WorkResult) async {
    var publications = [Publication(result.message, into: target)]
    if result.isDeadLetter { publications.append(Publication(result.message, into: deadLetters)) }
    var pause = Backoff()
    while !Task.isCancelled {
      do throws(QueueError) {
        try await source.settle(delivery, publishing: publications)
        return log.outcome(result)
      } catch .leaseLost {
        return log.trouble("somebody else has it by now", .leaseLost(id: delivery.message.id))
      } catch {
        log.trouble("a result cannot be published, trying again", error)
        await pause.wait()
      }
    }
  }
}
