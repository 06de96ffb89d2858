internal import Supporting

/// Blames hosts for responses that do not arrive in time, and makes room for other requests.
extension HostScheduler {
  /// If the time between two ticks is longer than this, the machine held them up.
  private static let longestGap = Duration.seconds(1)

  var needsTicks: Bool { !pending.isEmpty || !room.isEmpty }

  func isTickDue(at now: Instant) -> Bool {
    needsTicks && lastTick.map { now - $0 >= .milliseconds(100) } ?? true
  }

  /// - Parameter held: transfers that wait for this process and not for their hosts.
  mutating func tick(
    at now: Instant, received: [(transfer: TransferID, bytes: Int)] = [], held: [TransferID] = []
  ) {
    discountGap(until: now, held)
    for (transfer, bytes) in received { pending[transfer]?.receive(bytes, at: now, limits) }
    judge(at: now)
    makeRoom(at: now, held: held.count)
    admitGuests(at: now)
    returnGuests(at: now)
  }

  /// Discounts time in which nothing could arrive: while the process was stopped or stuck on a
  /// disk, and while a transfer is held.
  private mutating func discountGap(until now: Instant, _ held: [TransferID]) {
    defer { lastTick = now }
    guard let lastTick else { return }
    let time = now - lastTick
    if time > Self.longestGap {
      for id in pending.keys { pending[id]?.discount(time) }
      room.discount(time)
      for origin in hosts.keys { change(origin) { $0.discount(time) } }
    } else {
      for id in held {
        guard let began = pending[id]?.began else { continue }
        pending[id]?.discount(min(time, now - began))
      }
    }
  }

  func isOverdue(_ transfer: PendingTransfer, at now: Instant) -> Bool {
    let patience = hosts[transfer.origin]?.patience(limits) ?? limits.answerTimeout
    return transfer.isOverdue(at: now, after: patience, limits)
  }

  /// Credits and blames hosts. A host that has never delivered may just be slow, so its first
  /// transfers have until their end.
  private mutating func judge(at now: Instant) {
    let limits = limits
    for (id, transfer) in pending {
      change(transfer.origin) { $0.noteAge(now - transfer.began) }
      if !isOverdue(transfer, at: now) {
        if transfer.hasSpeed(at: now, limits) { change(transfer.origin) { $0.deliver(transfer, at: now) } }
      } else if !transfer.isBlamed, let host = hosts[transfer.origin],
        host.usualTime != nil || host.outage != nil
      {
        pending[id]?.isBlamed = true
        change(transfer.origin) { $0.fail(transfer, isCertain: false, at: now, limits) }
      }
    }
  }

  /// Revokes overdue transfers, the oldest first: one for each request that has waited long for
  /// anything but its own host, and until a quarter of all downloads is free. While a quick host is
  /// active, the youngest long transfers beyond `slowTransfers` go back.
  private mutating func makeRoom(at now: Instant, held: Int) {
    let patient = room.guests.count { $0.reason != .host && now - $0.since >= limits.patience }
    let needed = max(patient, pending.count - held - limits.slowTransfers)
    let oldestFirst = pending.sorted { ($0.value.began, $0.key) < ($1.value.began, $1.key) }
    for (id, transfer) in oldestFirst where effects.revoked.count < needed && isOverdue(transfer, at: now) {
      effects.revoked.append((id, revoke(id, transfer, at: now)))
    }
    guard isQuickHostActive(at: now) else { return }
    let long = oldestFirst.filter { pending[$0.key] != nil && now - $0.value.began >= limits.patience }
    for (id, transfer) in long.dropFirst(limits.slowTransfers) where transfer.turn.goBack() {
      pending[id] = nil
      effects.revoked.append((id, .busy))
    }
  }

  /// - Returns: the reason. The payload of a known host goes back: the host may be slow just now.
  private mutating func revoke(_ id: TransferID, _ over: PendingTransfer, at now: Instant) -> HostRefusal {
    let limits = limits
    let isKnown = hosts[over.origin]?.usualTime != nil
    pending[id] = nil
    change(over.origin) { host in
      if over.isBlamed {
        host.abandonProbe(of: over.permit)
      } else {
        host.fail(over, isCertain: !isKnown, at: now, limits)
      }
    }
    return isKnown && over.turn.goBack() ? .busy : .overdue(after: now - over.began)
  }
}
