internal import Synchronization

/// One medium's part in lending: it may wait for another payload's transfer, and then for its host, but lends
/// only one slot, and none that its payload's other media use.
final class SlotLoan: Sendable {
  private let reservation: SlotReservation
  private let isLent = Atomic(false)

  init(from reservation: SlotReservation) { self.reservation = reservation }

  /// Lends one slot until `reacquire`. Does nothing if one is lent already.
  func lend() {
    if !isLent.exchange(true, ordering: .relaxed) { reservation.lend() }
  }

  /// Called before each transfer: waits for a slot if the payload has lent any, even for a medium before this
  /// one.
  /// - Throws: `Failure`, as `TransferSlots.reserve`.
  func reacquire() async throws(Failure) {
    isLent.store(false, ordering: .relaxed)
    try await reservation.reacquire()
  }
}
