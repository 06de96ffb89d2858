internal import Supporting

/// Requests that cannot start wait for a while, and then their payloads go back to their queue.
extension HostScheduler {
  /// How many payloads may be taken before they arrive. Unlimited if hosts have no shares, or if payloads may
  /// go back and not too many have done so. Otherwise only as many as there is memory for while they wait.
  func capacity(for size: Int, mayReturn: Bool, at now: Instant) -> Int {
    if !sharesHosts || mayReturn && pace.isOpen(at: now) { return .max }
    return max(0, (limits.waitingBytes - room.bytes) / size)
  }

  /// Adds a request to the waiting room. Payloads of the host that most requests wait for go back
  /// to make room. If none can go back, the room exceeds its limit.
  mutating func enter(_ newcomer: WaitingRoom.Guest, at now: Instant) -> PermitDecision? {
    // Ticks pause while nothing is pending or waiting: the time since the last tick is no gap.
    if !needsTicks { lastTick = now }
    if newcomer.reason != .place, room.bytes + room.size(of: newcomer.request) > limits.waitingBytes {
      for guest in room.inOrderOfReturn(with: newcomer) {
        guard room.bytes + room.size(of: newcomer.request) > limits.waitingBytes else { break }
        returnPayload(of: guest, at: now)
        guard newcomer.request.turn.isBack else { continue }
        endWaiting(newcomer.request.turn)
        return .refused(.busy)
      }
    }
    room.append(newcomer)
    freeSurplus(of: newcomer.request.turn, at: now)
    return nil
  }

  mutating func returnGuests(at now: Instant) {
    // Guests that wait only for a place stay: the end of any download can free one.
    let late = room.guests.filter { $0.reason != .place && now - $0.since >= limits.longestWait }
    for guest in late { returnPayload(of: guest, at: now) }
  }

  private mutating func returnPayload(of guest: WaitingRoom.Guest, at now: Instant) {
    guard !guest.request.turn.isBack, guest.request.turn.goBack() else { return }
    pace.noteReturn(at: now)
    for medium in room.remove(if: { $0.request.turn === guest.request.turn }) {
      endWaiting(medium.request.turn)
      effects.decisions.append((medium.permit, .refused(.busy)))
    }
  }

  mutating func admitGuests(at now: Instant) {
    if room.isEmpty { return }
    for var guest in room.empty() {
      switch verdict(on: guest.request, at: now) {
      case .decided(let decision):
        effects.decisions.append((guest.permit, admit(guest.permit, guest.request, decision, at: now)))
      case .waits(let reason):
        // Only the time spent waiting for the host counts.
        if (guest.reason == .place) != (reason == .place) { guest.since = now }
        guest.reason = reason
        room.append(guest)
      }
    }
  }
}

/// Limits how fast payloads are taken when no more can wait. A payload that goes back costs time,
/// and a request that starts earns some.
struct TakingPace {
  /// The cost of a payload that goes back: 64 a second.
  private static let cost = Duration.microseconds(15_625)
  /// The time that a request earns when it starts: the cost of payloads that may have been taken with it.
  private static let worth = cost * 16
  /// The most time that can be saved up: enough for 128 payloads to go back.
  private static let most = cost * 128

  private var next: Instant?

  mutating func noteStart() { next = next.map { $0 - Self.worth } }

  mutating func noteReturn(at now: Instant) {
    next = max(next ?? now - Self.most, now - Self.most) + Self.cost
  }

  func isOpen(at now: Instant) -> Bool { next.map { now >= $0 } ?? true }
}
