internal import Synchronization

/// The memory that all request bodies may take together. A body holds its share from its first byte until its answer
/// is written. Only bytes that have arrived count, so a client that announces a body and sends nothing takes none.
package final class BodyRoom: Sendable {
  private let free: Atomic<Int>

  package init(bytes: Int) { free = Atomic(bytes) }

  /// - Returns: false if there is not enough room.
  func take(_ count: Int) -> Bool {
    if free.subtract(count, ordering: .relaxed).newValue >= 0 { return true }
    give(count)
    return false
  }

  func give(_ count: Int) { free.add(count, ordering: .relaxed) }
}
