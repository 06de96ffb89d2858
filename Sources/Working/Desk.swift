internal import Queueing
internal import Synchronization

/// What is being worked on: as many deliveries as there are places, or fewer that are long. Stopped by whoever ends the process, and closed
/// by what makes further work useless.
final class Desk: Sendable {
  /// Bytes of messages from which on no more are taken. Payloads are far below, as many as there may be; what is longer is none, and
  /// must not fill the memory all the same.
  private static let maximumSize = 1_048_576

  private struct State {
    let places: Int
    var deliveries: [String: Delivery] = [:]
    var size = 0
    /// Bytes of those whose dead letters may be written, by their receipts.
    var letters: [String: Int] = [:]
    var waiting: CheckedContinuation<Void, Never>?
    var closing: QueueError?
    var stopTime: ContinuousClock.Instant?

    var isFree: Bool { deliveries.count < places && size < Desk.maximumSize }
  }

  private let state: Mutex<State>

  init(places: Int) { state = Mutex(State(places: places)) }

  var deliveries: [Delivery] { state.withLock { Array($0.deliveries.values) } }

  var isEmpty: Bool { state.withLock { $0.deliveries.isEmpty } }

  /// Why no more work is to be begun; nil while it is.
  var closing: QueueError? { state.withLock { $0.closing } }

  /// When it was told to stop; nil before.
  var stopTime: ContinuousClock.Instant? { state.withLock { $0.stopTime } }

  /// Ends the receiving of work: what has left its queue already is still taken.
  func stop() {
    state.withLock { $0.stopTime = $0.stopTime ?? .now }
  }

  /// Ends the taking of work. The first reason counts: the others mostly follow from it.
  func close(because error: QueueError) {
    state.withLock { $0.closing = $0.closing ?? error }
  }

  /// Called by one task only.
  /// - Returns: how many places are free: one at the least.
  func waitForPlace() async -> Int {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isFree { return true }
        state.waiting = continuation
        return false
      }
      if isFree { continuation.resume() }
    }
    return state.withLock { $0.places - $0.deliveries.count }
  }

  func enter(_ deliveries: [Delivery]) {
    state.withLock { state in
      for delivery in deliveries {
        state.deliveries[delivery.receipt] = delivery
        state.size += delivery.message.size
      }
    }
  }

  /// Lets the dead letter of `delivery` be written, for as long as it is here. While none can be, a quarter of what is held here is theirs,
  /// and the rest is for others.
  /// - Returns: whether it may be.
  func admitLetter(of delivery: Delivery) -> Bool {
    state.withLock { state in
      let size = delivery.message.size
      let isFree =
        state.letters.count < max(1, state.places / 4)
        && state.letters.values.reduce(size, +) <= Self.maximumSize / 4
      guard isFree || state.letters.isEmpty else { return false }
      state.letters[delivery.receipt] = size
      return true
    }
  }

  func leave(_ delivery: Delivery) {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.deliveries[delivery.receipt] = nil
      state.letters[delivery.receipt] = nil
      state.size -= delivery.message.size
      guard state.isFree else { return nil }
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }
}
