internal import Supporting

/// What happens to hosts that answer nothing, and to transfers that nothing comes of.
extension HostScheduler {
  /// Ticks that are further apart than this were held up by the machine.
  private static let longestGap = Duration.seconds(1)

  /// Whether `tick` is to be called a few times a second.
  var needsTicks: Bool { !pending.isEmpty || !waiting.all.isEmpty }

  func isTickDue(at now: Instant) -> Bool {
    needsTicks && lastTick.map { now - $0 >= .milliseconds(100) } ?? true
  }

  /// Acts on the time that has passed.
  /// - Parameter held: transfers that wait for us, and not for their hosts.
  mutating func tick(at now: Instant, held: [TransferID] = []) -> Effects {
    excuse(held, at: now)
    discountGap(until: now)
    let limits = limits
    for (origin, transfers) in Dictionary(grouping: pending.values, by: \.origin) {
      change(origin) { $0.tick(transfers.map { ($0.quietSince, $0.url) }, at: now, limits) }
    }
    var effects = waiting.all.isEmpty ? Effects() : admitWaiters(at: now)
    effects.revoked = revoke(at: now, held: held.count)
    return effects
  }

  /// Nothing can have come of transfers that wait for us, and who waits for their hosts waits for us as well.
  private mutating func excuse(_ held: [TransferID], at now: Instant) {
    guard !held.isEmpty, let lastTick else { return }
    // A longer time is excused for all.
    let time = now - lastTick > Self.longestGap ? .zero : now - lastTick
    firstWaitSince = firstWaitSince.map { $0 + time }
    waiting.discount(time)
    for id in held {
      guard let transfer = pending[id] else { continue }
      pending[id]?.quietSince += min(time, now - transfer.quietSince)
      change(transfer.origin) { $0.requestSent(with: transfer.permit, at: now) }
    }
    for origin in Set(held.compactMap { pending[$0]?.origin }) { change(origin) { $0.discountWait(time) } }
  }

  /// While the process was stopped, or hung in a disk, it could not have received anything.
  private mutating func discountGap(until now: Instant) {
    defer { lastTick = now }
    guard let lastTick, now - lastTick > Self.longestGap else { return }
    let gap = now - lastTick
    firstWaitSince = firstWaitSince.map { $0 + gap }
    for id in pending.keys { pending[id]?.quietSince += gap }
    waiting.discount(gap)
    for origin in hosts.keys { change(origin) { $0.discount(gap) } }
  }

  /// Revokes transfers that have timed out, where their host or all hosts together have more of those than
  /// they may. A host can get there by going silent, or by leaving a few unanswered at a time. The oldest few
  /// stay until their deadline, and end the outage if they succeed. Those whose bodies arrive, if too slowly,
  /// are revoked only as far as others wait, or fewer than a quarter of the slots are free.
  private mutating func revoke(at now: Instant, held: Int) -> [(transfer: TransferID, refusal: HostRefusal)] {
    var needed = waiting.all.count + max(0, pending.count - held - limits.transfers * 3 / 4)
    var left = limits.transfersToUnprovenHosts
    var kept: [Origin: Int] = [:]
    var revoked: [TransferID] = []
    let late = pending.filter { _, transfer in
      now - transfer.quietSince >= hosts[transfer.origin]?.answerTimeout(limits) ?? limits.answerTimeout
    }
    for (id, transfer) in longestQuietFirst(late) {
      if left > 0, kept[transfer.origin, default: 0] < limits.transfersPerUnprovenHost {
        left -= 1
        kept[transfer.origin, default: 0] += 1
      } else if !transfer.hasHead || needed > 0 {
        needed -= 1
        revoked.append(id)
      }
    }
    return (revoked + relieved(at: now)).compactMap { id in
      guard let over = pending.removeValue(forKey: id) else { return nil }
      change(over.origin) { $0.abandonProbe(of: over.permit) }
      return (id, .revoked(after: now - over.quietSince))
    }
  }

  private func longestQuietFirst(_ transfers: [TransferID: Pending]) -> [(key: TransferID, value: Pending)] {
    transfers.sorted { ($0.value.quietSince, $0.key) < ($1.value.quietSince, $1.key) }
  }

  /// Transfers to unproven hosts that are revoked early, because requests to other unproven hosts wait: after
  /// the silence threshold, as many as wait.
  private func relieved(at now: Instant) -> [TransferID] {
    let others = waiting.all.lazy.filter { $0.reason == .unprovenHosts }.count
    if others == 0 { return [] }
    let silent = pending.filter { now - $0.value.quietSince >= limits.silenceThreshold }
    return longestQuietFirst(silent.filter { hosts[$0.value.origin]?.isProven != true })
      .prefix(others).map(\.key)
  }

  /// Why a redirect to a host is not followed; nil if it is. A redirected request has a transfer already and
  /// cannot wait: it is refused where others wait in vain.
  func refusalOfRedirect(to origin: Origin, for url: URLHash, at now: Instant) -> HostRefusal? {
    let host = hosts[origin] ?? CircuitBreaker()
    switch host.state(at: now, for: url) {
    case .proven, .halfOpen: return nil
    case .open(let refusal): return refusal
    case .unproven:
      let silent = pending.values.lazy.filter { $0.quietSince <= now - limits.silenceThreshold }
      if silent.filter({ $0.origin == origin }).count >= host.transfersWhileUnproven(limits) {
        return .crowded
      }
      let unproven = silent.filter { hosts[$0.origin]?.isProven != true }
      return unproven.count >= limits.transfersToUnprovenHosts ? .unproven : nil
    }
  }
}
