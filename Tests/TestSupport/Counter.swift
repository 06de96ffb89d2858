import Synchronization

/// Counts what happens in several tasks or threads.
package final class Counter: Sendable {
  private let number = Atomic(0)

  package init() {}

  package var count: Int { number.load(ordering: .relaxed) }

  /// - Returns: the new count.
  @discardableResult
  package func add() -> Int { number.add(1, ordering: .relaxed).newValue }
}
