internal import Queueing
internal import Synchronization

/// What is being worked on: as many deliveries as there are places. Closed by what makes further work useless.
final class Desk: Sendable {
  private struct State {
    var deliveries: [String: Delivery] = [:]
    var waiting: CheckedContinuation<Void, Never>?
    var closing: QueueError?
  }

  private let places: Int
  private let state = Mutex(State())

  init(places: Int) { self.places = places }

  var deliveries: [Delivery] { state.withLock { Array($0.deliveries.values) } }

  var isEmpty: Bool { state.withLock { $0.deliveries.isEmpty } }

  /// Why no more work is to be begun; nil while it is.
  var closing: QueueError? { state.withLock { $0.closing } }

  /// Ends the taking of work. The first reason counts: the others mostly follow from it.
  func close(because error: QueueError) {
    state.withLock { $0.closing = $0.closing ?? error }
  }

  /// Called by one task only.
  /// - Returns: how many places are free: one at the least.
  func waitForPlace() async -> Int {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.deliveries.count < places { return true }
        state.waiting = continuation
        return false
      }
      if isFree { continuation.resume() }
    }
    return state.withLock { places - $0.deliveries.count }
  }

  func enter(_ deliveries: [Delivery]) {
    state.withLock { state in
      for delivery in deliveries { state.deliveries[delivery.receipt] = delivery }
    }
  }

  func leave(_ delivery: Delivery) {
    let waiting = state.withLock { state in
      state.deliveries[delivery.receipt] = nil
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }
}
