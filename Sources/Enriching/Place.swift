internal import Synchronization

/// What one medium has of its payload's room. It may have to wait for another payload's transfer, and then for its host's turn: that lends
/// once, and not what the other media of the payload have.
final class Place: Sendable {
  private let room: Room
  private let isLent = Atomic(false)

  init(in room: Room) { self.room = room }

  /// Gives it to others until `takeBack`.
  func lend() {
    if !isLent.exchange(true, ordering: .relaxed) { room.lend() }
  }

  /// Called before each transfer. Has back what the payload lent, be it by a medium before this one.
  /// - Throws: `Failure`, as `MemoryBudget.room`.
  func takeBack() async throws(Failure) {
    isLent.store(false, ordering: .relaxed)
    try await room.takeBack()
  }
}
