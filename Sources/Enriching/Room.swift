internal import Synchronization

/// Leave for the transfers of one payload: one at the least. It is given back with the last reference to it, at the latest.
package final class Room: Sendable {
  private let budget: MemoryBudget
  private let slots: Mutex<Int>
  /// Of what was given back for a while.
  private let lent = Mutex(0)

  init(_ budget: MemoryBudget, slots: Int = 1) {
    self.budget = budget
    self.slots = Mutex(slots)
  }

  deinit { leave() }

  /// Takes what is free now for up to `count` transfers at once.
  /// - Returns: how many there may be.
  func widen(to count: Int) -> Int {
    slots.withLock { slots in
      slots += budget.takeFree(count - slots)
      return slots
    }
  }

  /// Gives back what one transfer has, until `takeBack`: it waits for what takes no memory.
  func lend() {
    let hasSome = slots.withLock { slots in
      guard slots > 0 else { return false }
      slots -= 1
      return true
    }
    guard hasSome else { return }
    lent.withLock { $0 += 1 }
    budget.giveBack(1)
  }

  /// Called before each transfer: has back what was lent, once there is room.
  /// - Throws: `Failure`, as `MemoryBudget.room`.
  func takeBack() async throws(Failure) {
    let isDue = lent.withLock { lent in
      guard lent > 0 else { return false }
      lent -= 1
      return true
    }
    guard isDue else { return }
    let room = try await budget.room()
    let taken = room.handOver()
    slots.withLock { $0 += taken }
  }

  private func handOver() -> Int {
    slots.withLock { slots in
      defer { slots = 0 }
      return slots
    }
  }

  /// Gives back all of it.
  func leave() {
    budget.giveBack(handOver())
  }

  /// Gives back what one transfer had, if there are more.
  func narrow() {
    let isNarrower = slots.withLock { slots in
      guard slots > 1 else { return false }
      slots -= 1
      return true
    }
    if isNarrower { budget.giveBack(1) }
  }
}
