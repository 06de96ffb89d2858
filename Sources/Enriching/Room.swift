internal import Synchronization

/// Leave for the transfers of one payload: one at the least. It is given back with the last reference to it, at the latest.
package final class Room: Sendable {
  private let budget: MemoryBudget
  private let slots: Mutex<Int>

  init(_ budget: MemoryBudget, slots: Int = 1) {
    self.budget = budget
    self.slots = Mutex(slots)
  }

  deinit { leave() }

  /// Whether nothing is left of it.
  var isGivenBack: Bool { slots.withLock { $0 == 0 } }

  /// Takes what is free now for up to `count` transfers at once.
  /// - Returns: how many there may be.
  func widen(to count: Int) -> Int {
    slots.withLock { slots in
      slots += budget.takeFree(count - slots)
      return slots
    }
  }

  /// Gives back all of it.
  func leave() {
    let left = slots.withLock { slots in
      defer { slots = 0 }
      return slots
    }
    budget.giveBack(left)
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
