internal import Supporting

/// Which requests get a permit, which wait, and which are refused.
extension HostScheduler {
  enum Verdict {
    case decided(PermitDecision)
    case waits(WaitReason)
  }

  func verdict(on request: PermitRequest, at now: Instant) -> Verdict {
    let host = hosts[request.origin] ?? CircuitBreaker()
    switch host.state(at: now, for: request.url) {
    case .proven: return .decided(.granted)
    case .open(let refusal): return .decided(.refused(refusal))
    case .unproven where host.permits >= host.transfersWhileUnproven(limits):
      return .waits(.host(request.origin))
    case .unproven, .halfOpen:
      return unprovenPermits < limits.transfersToUnprovenHosts ? .decided(.granted) : .waits(.unprovenHosts)
    }
  }

  /// Records a decision, and returns it.
  mutating func admit(
    _ permit: HostPermit.ID, _ request: PermitRequest, _ decision: PermitDecision, at now: Instant
  ) -> PermitDecision {
    recordUse(of: request.origin)
    guard decision == .granted else { return decision }
    permits[permit] = request.origin
    change(request.origin) { host in
      host.permits += 1
      if host.state(at: now, for: request.url) == .halfOpen { host.reserveProbe(for: permit) }
    }
    return decision
  }

  /// Decides on all waiting requests that need not wait any more.
  mutating func admitWaiters(at now: Instant) -> Effects {
    var effects = Effects()
    var rest = WaitingRequests()
    for var waiter in waiting.all {
      switch verdict(on: waiter.request, at: now) {
      case .decided(let decision):
        effects.decisions.append((waiter.permit, admit(waiter.permit, waiter.request, decision, at: now)))
      case .waits(let reason):
        waiter.reason = reason
        noteWaiter(reason, at: now)
        rest.append(waiter)
      }
    }
    waiting = rest
    return effects
  }

  // MARK: - The queue

  /// Whether more payloads can be taken up: there is memory for them to wait, or a waiting request that could
  /// be refused instead.
  func isOpen(at now: Instant) -> Bool {
    waiting.bytes < limits.waitingBytes || waiting.all.contains { isSilent($0.reason, at: now) }
  }

  /// Makes room for `newcomer` by refusing it or other requests, those of the hosts first that have been
  /// silent for longest. If no host is silent, the queue exceeds its limit for a while, and `isOpen` is
  /// false: no request is refused because of a host that answers.
  /// - Returns: the refusal of `newcomer`; nil if it waits.
  mutating func enqueue(
    _ newcomer: Waiter, at now: Instant, _ effects: inout Effects
  ) -> PermitDecision? {
    while waiting.bytes + newcomer.request.bytes > limits.waitingBytes {
      let reasons = waiting.all.map(\.reason) + [newcomer.reason]
      let silent = reasons.filter { isSilent($0, at: now) }
      guard let worst = silent.min(by: { firstWait($0) ?? now < firstWait($1) ?? now }) else { break }
      guard let index = waiting.all.lastIndex(where: { $0.reason == worst }), newcomer.reason != worst else {
        return refusal(for: newcomer.reason)
      }
      let other = waiting.remove(at: index)
      effects.decisions.append((other.permit, refusal(for: worst)))
    }
    waiting.append(newcomer)
    return nil
  }

  private func refusal(for reason: WaitReason) -> PermitDecision {
    switch reason {
    case .host: .refused(.crowded)
    case .unprovenHosts: .refused(.unproven)
    }
  }

  mutating func noteWaiter(_ reason: WaitReason, at now: Instant) {
    switch reason {
    case .host(let origin): change(origin) { $0.noteWaiter(at: now) }
    case .unprovenHosts: firstWaitSince = firstWaitSince ?? now
    }
  }

  /// Whether requests have waited for that long enough, without a delivery, for some to be refused: for all
  /// unproven hosts twice as long, because transfers are revoked before, and a host that answers may be among
  /// those that wait.
  func isSilent(_ reason: WaitReason, at now: Instant) -> Bool {
    let limit = limits.silenceThreshold * (reason == .unprovenHosts ? 2 : 1)
    return firstWait(reason).map { now - $0 >= limit } ?? false
  }

  private func firstWait(_ reason: WaitReason) -> Instant? {
    switch reason {
    // A host that lets many transfers hang may deliver just enough beside them to keep all others waiting.
    case .host(let origin) where hosts[origin]?.lastTimeout != nil:
      waiting.all.first { $0.reason == reason }?.since
    case .host(let origin): hosts[origin]?.firstWaitSince
    case .unprovenHosts: firstWaitSince
    }
  }
}
