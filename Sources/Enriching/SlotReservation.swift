internal import Synchronization

/// The transfer slots of one payload: at least one, except while it is lent. They are released with the last
/// reference at the latest.
package final class SlotReservation: Sendable {
  private struct State {
    var held: Int
    /// Given back while the media that held them wait: for another payload's transfer, or for their host.
    var lent = 0
  }

  private let slots: TransferSlots
  private let state: Mutex<State>

  /// - Parameter count: slots that were already taken from `slots`.
  init(of slots: TransferSlots, count: Int = 1) {
    self.slots = slots
    state = Mutex(State(held: count))
  }

  deinit { release() }

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
    state.withLock { state in
      defer { state = State(held: 0) }
      return state.held
    }
  }
}
