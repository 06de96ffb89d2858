internal import Measuring
internal import Queueing
internal import Supporting

extension Forwarder {
  /// Puts messages aside, all at once, so that their store does it in one transaction.
  /// - Returns: those that the source did not put aside.
  func postpone(
    _ asides: [ForwardedBatch.Aside], _ inFlight: InFlightDeliveries
  ) async -> [ForwardedBatch.Item] {
    guard let postponement, !asides.isEmpty else { return asides.map(\.item) }
    return await withTaskGroup(of: ForwardedBatch.Item?.self) { group in
      for aside in asides {
        group.addTask { await self.postpone(aside, postponement, inFlight) ? nil : aside.item }
      }
      return await group.reduce(into: []) { left, item in if let item { left.append(item) } }
    }
  }

  private func postpone(
    _ aside: ForwardedBatch.Aside, _ postponement: Postponement, _ inFlight: InFlightDeliveries
  ) async -> Bool {
    let item = aside.item
    var pause = Backoff()
    while true {
      do throws(QueueError) {
        try await postponement.postpone(item.delivery, until: aside.until, line: item.line?.text)
        break
      } catch {
        log.trouble(.sending, error, id: item.delivery.message.id)
        // It may be put aside all the same, so it must not be sent again without asking.
        guard case .unavailable = error else {
          inFlight.close(because: error)
          return false
        }
        guard goesOn(inFlight) else { return false }
        await inFlight.pause(&pause)
      }
    }
    order.putAside(item, until: aside.until)
    order.leave([item])
    measurements.postpone(1)
    log.postponed(
      item.delivery.message, .milliseconds(max(0, aside.until - WallClock.milliseconds)), aside.detail)
    inFlight.leave(item.delivery)
    measurements.leave()
    return true
  }
}
