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

  /// Makes room for `newcomer`: it goes back to its queue, or others of the host that most wait for. If none can,
  /// the room exceeds its limit for a while.
  /// - Returns: the refusal of `newcomer`; nil if it waits.
  mutating func enter(
    _ newcomer: WaitingRoom.Waiter, at now: Instant, _ effects: inout Effects
  ) -> PermitDecision? {
    if room.bytes + newcomer.request.bytes > limits.waitingBytes {
      for waiter in room.inOrderOfReturn(with: newcomer) {
        guard room.bytes + newcomer.request.bytes > limits.waitingBytes else { break }
        guard waiter.request.turn.goBack() else { continue }
        pace.noteReturn(at: now)
        if waiter.permit == newcomer.permit { return .refused(.busy) }
        room.remove(waiter.permit)
        effects.decisions.append((waiter.permit, .refused(.busy)))
      }
    }
    room.append(newcomer)
    return nil
  }

  /// Sends back those that have waited for too long.
  mutating func returnWaiters(at now: Instant, _ effects: inout Effects) {
    for waiter in room.waiters where now - waiter.since >= limits.longestWait {
      guard waiter.request.turn.goBack() else { continue }
      pace.noteReturn(at: now)
      room.remove(waiter.permit)
      effects.decisions.append((waiter.permit, .refused(.busy)))
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
