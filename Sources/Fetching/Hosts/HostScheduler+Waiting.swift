internal import Supporting

/// What cannot start: it waits for a while, and then goes back to its queue.
extension HostScheduler {
  /// How many payloads may be taken up.
  /// - Parameters:
  ///   - size: memory of a payload that waits, in bytes.
  ///   - mayReturn: whether the queue takes back what cannot start. Otherwise no more are taken than can wait.
  func capacity(for size: Int, mayReturn: Bool, at now: Instant) -> Int {
    if mayReturn, pace.isOpen(at: now) { return .max }
    return max(0, (limits.waitingBytes - room.bytes) / size)
  }

  /// Makes room for `newcomer`: its payload goes back to its queue, or those of the host that most wait for. If
  /// none can go back, the room exceeds its limit.
  /// - Returns: the refusal of `newcomer`; nil if it waits.
  mutating func enter(
    _ newcomer: WaitingRoom.Waiter, at now: Instant, _ effects: inout Effects
  ) -> PermitDecision? {
    // Ticks pause while nothing is pending or waits: the time since the last one is no gap.
    if !needsTicks { lastTick = now }
    if room.bytes + room.size(of: newcomer.request) > limits.waitingBytes {
      for waiter in room.inOrderOfReturn(with: newcomer) {
        guard room.bytes + room.size(of: newcomer.request) > limits.waitingBytes else { break }
        returnPayload(of: waiter, at: now, &effects)
        if newcomer.request.turn.isBack { return .refused(.busy) }
      }
    }
    room.append(newcomer)
    return nil
  }

  /// Sends back those that have waited for too long.
  mutating func returnWaiters(at now: Instant, _ effects: inout Effects) {
    for waiter in room.waiters where now - waiter.since >= limits.longestWait {
      returnPayload(of: waiter, at: now, &effects)
    }
  }

  /// Sends the payload of `waiter` back to its queue, if that takes it back.
  private mutating func returnPayload(
    of waiter: WaitingRoom.Waiter, at now: Instant, _ effects: inout Effects
  ) {
    guard !waiter.request.turn.isBack, waiter.request.turn.goBack() else { return }
    pace.noteReturn(at: now)
    for medium in room.remove(waiter.request.turn) {
      effects.decisions.append((medium.permit, .refused(.busy)))
    }
  }

  /// Decides on all waiting requests that need not wait any more.
  mutating func admitWaiters(at now: Instant) -> Effects {
    var effects = Effects()
    if room.isEmpty { return effects }
    for var waiter in room.empty() {
      switch verdict(on: waiter.request, at: now) {
      case .decided(let decision):
        effects.decisions.append((waiter.permit, admit(waiter.permit, waiter.request, decision, at: now)))
      case .waits(let reason):
        waiter.reason = reason
        room.append(waiter)
      }
    }
    return effects
  }
}
