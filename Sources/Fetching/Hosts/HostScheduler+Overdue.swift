internal import Supporting

/// What does not come in time: its host is blamed, and it makes room for others.
extension HostScheduler {
  /// Ticks that are further apart than this were held up by the machine.
  private static let longestGap = Duration.seconds(1)

  /// Whether `tick` is to be called a few times a second.
  var needsTicks: Bool { !pending.isEmpty || !room.isEmpty }

  func isTickDue(at now: Instant) -> Bool {
    needsTicks && lastTick.map { now - $0 >= .milliseconds(100) } ?? true
  }

  /// Acts on the time that has passed.
  /// - Parameters:
  ///   - received: how much of their bodies has arrived, in bytes.
  ///   - held: transfers that wait for us, and not for their hosts.
  mutating func tick(
    at now: Instant, received: [(transfer: TransferID, bytes: Int)] = [], held: [TransferID] = []
  ) -> Effects {
    discountGap(until: now, held)
    for (transfer, bytes) in received {
      guard let index = pending.index(forKey: transfer) else { continue }
      pending.values[index].receive(bytes, at: now, limits)
    }
    judge(at: now)
    let revoked = makeRoom(at: now, held: held.count)
    var effects = admitWaiters(at: now)
    effects.revoked = revoked
    returnWaiters(at: now, &effects)
    return effects
  }

  /// While the process was stopped, or hung in a disk, it could not have received anything; neither can anything
  /// have come of transfers that wait for us.
  private mutating func discountGap(until now: Instant, _ held: [TransferID]) {
    defer { lastTick = now }
    guard let lastTick else { return }
    let time = now - lastTick
    if time > Self.longestGap {
      for id in pending.keys { pending[id]?.discount(time) }
      for origin in hosts.keys { change(origin) { $0.discount(time) } }
    } else {
      for id in held {
        guard let index = pending.index(forKey: id) else { continue }
        pending.values[index].discount(min(time, now - pending.values[index].began))
      }
    }
    if time > Self.longestGap || !held.isEmpty { room.discount(time) }
  }

  private func isOverdue(_ transfer: PendingTransfer, at now: Instant) -> Bool {
    let patience = hosts[transfer.origin]?.patience(limits) ?? limits.answerTimeout
    return transfer.isOverdue(at: now, after: patience, limits)
  }

  /// Tells hosts what becomes of their transfers. One that has not delivered anything may be slow: its first
  /// ones have until their end.
  private mutating func judge(at now: Instant) {
    let limits = limits
    for (id, transfer) in pending where !transfer.isBlamed {
      if isOverdue(transfer, at: now) {
        guard let host = hosts[transfer.origin], host.usualTime != nil || host.outage != nil else { continue }
        pending[id]?.isBlamed = true
        change(transfer.origin) { $0.fail(transfer, at: now, limits) }
      } else if transfer.hasSpeed(at: now, limits) {
        change(transfer.origin) { $0.deliver(transfer, at: now) }
      }
    }
  }

  /// Revokes overdue transfers, the oldest first: as many as others have waited for, and as leave a quarter of
  /// all places free. A host that has not delivered anything need not make room for requests of its own: they
  /// would fare no better.
  private mutating func makeRoom(
    at now: Instant, held: Int
  ) -> [(transfer: TransferID, refusal: HostRefusal)] {
    let limits = limits
    let patient = room.waiters.filter { now - $0.since >= limits.patience }
    var needed = max(
      patient.count { $0.reason == .others }, pending.count - held - limits.transfers * 3 / 4)
    var neededOf: [Origin: Int] = [:]
    for waiter in patient where waiter.reason == .host {
      guard let host = hosts[waiter.request.origin], host.usualTime != nil else { continue }
      neededOf[waiter.request.origin, default: max(0, host.permits - host.share)] += 1
    }
    if needed <= 0, neededOf.isEmpty { return [] }
    var revoked: [(transfer: TransferID, refusal: HostRefusal)] = []
    let overdue = pending.filter { isOverdue($0.value, at: now) }
    for (id, transfer) in overdue.sorted(by: { ($0.value.began, $0.key) < ($1.value.began, $1.key) }) {
      guard needed > 0 || neededOf[transfer.origin, default: 0] > 0 else { continue }
      needed -= 1
      neededOf[transfer.origin]? -= 1
      pending[id] = nil
      change(transfer.origin) { host in
        if transfer.isBlamed {
          host.abandonProbe(of: transfer.permit)
        } else {
          host.fail(transfer, at: now, limits)
        }
      }
      revoked.append((id, .overdue(after: now - (transfer.answered ?? transfer.began))))
    }
    return revoked
  }
}
