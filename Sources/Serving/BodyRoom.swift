internal import Synchronization

/// The memory that the bodies of requests may take together, each from its first byte until its answer is
/// written. Only bytes that have arrived count: whoever announces a body and sends none takes nothing.
package final class BodyRoom: Sendable {
  private let free: Atomic<Int>

  package init(bytes: Int) { free = Atomic(bytes) }

  /// - Returns: false if there is no room for so many bytes.
  func take(_ count: Int) -> Bool {
    if free.subtract(count, ordering: .relaxed).newValue >= 0 { return true }
    give(count)
    return false
  }

  func give(_ count: Int) { free.add(count, ordering: .relaxed) }
}
