import Synchronization

/// Holds up tasks until a test opens it. With a fixed delay instead, a test would depend on how busy
/// the machine is.
package final class Latch: Hashable, Sendable {
  private let isOpen = Atomic(false)

  package init() {}

  package var isOpened: Bool { isOpen.load(ordering: .relaxed) }
  package func open() { isOpen.store(true, ordering: .relaxed) }

  /// Returns once the latch is open.
  /// - Throws: `CancellationError`, so that the servers of a failing test can end.
  package func pass() async throws {
    while !isOpen.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(5)) }
  }

  package static func == (one: Latch, other: Latch) -> Bool { one === other }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
