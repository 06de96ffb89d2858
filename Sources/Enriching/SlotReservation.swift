internal import Synchronization

/// The transfer slots of one payload: at least one, except while it is lent. They are released with the last
/// reference at the latest.
package final class SlotReservation: Sendable {
  private struct State {
    var held: Int
    /// Given back while the media that held them wait: for another payload's transfer, or for their host.
    var lent = 0
    /// Whether no payload has it yet.
    var isAhead = false
  }

  private let slots: TransferSlots
  private let state: Mutex<State>
  /// Whether the queue of the payload takes it back if it cannot start.
  let mayGoBack: Bool

  /// - Parameters:
  ///   - slots: of which one was already taken.
  ///   - isAhead: whether that was for a payload that is still to come: `begin` says that it has.
  ///   - mayGoBack: whether the queue of that payload takes it back if it cannot start.
  init(of slots: TransferSlots, ahead isAhead: Bool = false, mayGoBack: Bool = false) {
    self.slots = slots
    self.mayGoBack = mayGoBack
    state = Mutex(State(held: 1, isAhead: isAhead))
    if isAhead { slots.ahead.add(1, ordering: .relaxed) }
  }

  deinit { release() }

  /// Its payload begins to use it.
  func begin() {
    let wasAhead = state.withLock { state in
      defer { state.isAhead = false }
      return state.isAhead
    }
    if wasAhead { slots.ahead.subtract(1, ordering: .relaxed) }
  }

  /// Takes free slots, without waiting, until it holds `count`.
  /// - Returns: how many it holds.
  func grow(to count: Int) -> Int {
    state.withLock { state in
      state.held += slots.takeFree(count - state.held)
      return state.held
    }
  }

  /// Gives one slot back until `reacquire`: while a medium waits, it takes no memory of its own.
  func lend() {
    let isLent = state.withLock { state in
      guard state.held > 0 else { return false }
      state.held -= 1
      state.lent += 1
      return true
    }
    if isLent { slots.giveBack(1) }
  }

  /// Waits for one slot in place of one that was lent. Does nothing if none is lent.
  /// - Throws: `Failure`, as `TransferSlots.reserve`.
  func reacquire() async throws(Failure) {
    let isDue = state.withLock { state in
      guard state.lent > 0 else { return false }
      state.lent -= 1
      return true
    }
    guard isDue else { return }
    let taken = try await slots.reserve().handOver()
    state.withLock { $0.held += taken }
  }

  /// Gives all slots back.
  package func release() { slots.giveBack(handOver()) }

  /// Gives one slot back, unless it is the last one.
  ///
  /// If another transfer of this payload has lent its slot, it gets this one: otherwise payloads could
  /// deadlock, each holding unused slots while waiting for more.
  func releaseOne() {
    let isReleased = state.withLock { state in
      guard state.lent == 0 else {
        state.lent -= 1
        return false
      }
      guard state.held > 1 else { return false }
      state.held -= 1
      return true
    }
    if isReleased { slots.giveBack(1) }
  }

  private func handOver() -> Int {
    begin()
    return state.withLock { state in
      defer { state = State(held: 0) }
      return state.held
    }
  }
}
