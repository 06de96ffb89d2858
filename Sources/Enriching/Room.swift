internal import Synchronization

/// Leave for the transfers of one payload: one at the least. It is given back with the last reference to it, at the latest.
package final class Room: Sendable {
  private struct State {
    var slots: Int
    /// Given back for as long as those who had them wait for another payload's transfer.
    var lent = 0
  }

  private let budget: MemoryBudget
  private let state: Mutex<State>

  init(_ budget: MemoryBudget, slots: Int = 1) {
    self.budget = budget
    state = Mutex(State(slots: slots))
  }

  deinit { leave() }

  /// Takes what is free now for up to `count` transfers at once.
  /// - Returns: how many there may be.
  func widen(to count: Int) -> Int {
    state.withLock { state in
      state.slots += budget.takeFree(count - state.slots)
      return state.slots
    }
  }

  /// Gives back what one transfer has, until `takeBack`: it waits for another payload's transfer, which takes no memory of its own.
  func lend() {
    let isLent = state.withLock { state in
      guard state.slots > 0 else { return false }
      state.slots -= 1
      state.lent += 1
      return true
    }
    if isLent { budget.giveBack(1) }
  }

  /// Has back what one transfer lent, once there is room.
  /// - Throws: `Failure`, as `MemoryBudget.room`.
  func takeBack() async throws(Failure) {
    let isDue = state.withLock { state in
      guard state.lent > 0 else { return false }
      state.lent -= 1
      return true
    }
    guard isDue else { return }
    let slots = try await budget.room().handOver()
    state.withLock { $0.slots += slots }
  }

  /// Gives back all of it.
  func leave() { budget.giveBack(handOver()) }

  /// Gives back what one transfer had, if there are more. One that has lent its own gets it instead: were both to wait for room, each with
  /// some that it does not use, nobody would come to have any.
  func narrow() {
    let isNarrower = state.withLock { state in
      guard state.lent == 0 else {
        state.lent -= 1
        return false
      }
      guard state.slots > 1 else { return false }
      state.slots -= 1
      return true
    }
    if isNarrower { budget.giveBack(1) }
  }

  private func handOver() -> Int {
    state.withLock { state in
      defer { state = State(slots: 0) }
      return state.slots
    }
  }
}
