internal import Enriching
internal import Queueing
internal import Synchronization

/// What a worker with `--when-store-fails wait` does if its store fails. `StoreOutage` decides.
extension Worker {
  /// How many deliveries the store allows, or nil for none. If it fails, waits for the next try.
  func storeAllowance(among inFlight: InFlightDeliveries) async -> Int? {
    // Lines that were read before a stop have to go out. Queues hand out no more after it.
    guard settings.waitsForStore, inFlight.stopTime == nil else { return .max }
    switch storeOutage.withLock({ $0.allow(at: .now) }) {
    case .all: return .max
    case .none(let rest): await inFlight.pause(for: rest)
    case .one:
      guard let failure = await enricher.tryStore() else { return 1 }
      note { $0.fail(failure) }
    }
    return nil
  }

  func noteNothingToTry() { note { $0.findNothing() } }

  func tryStoreAtStart() async {
    guard settings.waitsForStore, let failure = await enricher.tryStore() else { return }
    note { $0.begin(failure, at: .now) }
  }

  /// Whether a message goes back to its queue, because the store failed and the worker waits for
  /// it.
  func storeWantsBack(_ result: WorkResult) -> Bool {
    guard settings.waitsForStore, let effect = result.report?.storeEffect else { return false }
    return note { $0.note(effect, at: .now) } == .goBack
  }

  /// Changes `storeOutage`, then updates the log and the status.
  private func note<Value: Sendable>(_ change: (inout StoreOutage) -> Value) -> Value {
    let (value, before, after) = storeOutage.withLock { outage in
      let before = outage.cause
      let value = change(&outage)
      // Under the lock, so that the status of an earlier change does not come last.
      if outage.cause != before { status.waitForStore(outage.cause) }
      return (value, before, outage.cause)
    }
    if let after {
      log.trouble(.storing, after.failure)
    } else if before != nil {
      log.over(.storing)
    }
    return value
  }
}
