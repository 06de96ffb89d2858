/// Tracks the requests that have permits.
extension HostScheduler {
  mutating func begin(
    _ transfer: TransferID, for url: URLHash, with permit: HostPermit.ID, until end: Instant, at now: Instant
  ) {
    guard let (origin, turn) = permits[permit] else { return }
    if !needsTicks { lastTick = now }
    pending[transfer] = PendingTransfer(
      permit: permit, origin: origin, url: url, turn: turn, end: end, began: now)
  }

  mutating func headArrived(_ transfer: TransferID, announcing length: Int?, at now: Instant) {
    guard let index = pending.index(forKey: transfer) else { return }
    pending.values[index].answer(announcing: length, at: now)
  }

  enum Ending {
    /// The response is complete, or as much of it as is needed. Also if the host cut it off, because it is up.
    case complete
    case noConnection
    /// The host closed a connection without a response. It is up, and may do so only for this URL.
    case hungUp
    /// We gave up.
    case givenUp
  }

  mutating func end(_ transfer: TransferID, _ ending: Ending, at now: Instant) {
    guard let over = pending.removeValue(forKey: transfer) else { return }
    let (limits, isOverdue) = (limits, isOverdue(over, at: now))
    if ending == .complete { recordUse(of: over.origin) }
    var isQuickDelivery = false
    change(over.origin) { host in
      switch ending {
      case .complete:
        host.complete(over, at: now, limits)
        isQuickDelivery = host.isQuick(limits)
      case .noConnection: host.refuseConnection(over, at: now, limits)
      case .givenUp where isOverdue: host.fail(over, isCertain: true, at: now, limits)
      case .givenUp, .hungUp: host.abandonProbe(of: over.permit)
      }
    }
    if isQuickDelivery { lastQuickDelivery = now }
    admitGuests(at: now)
  }
}
