internal import Supporting

/// What is known about a host, and how many downloads it may have. Callers pass in the time.
struct HostRecord {
  var permits = 0
  var lastUse: UInt64 = 0
  private(set) var share: Int
  private(set) var outage: Outage?
  /// How long its slower downloads take; nil if none is complete yet.
  private(set) var usualTime: Duration?
  /// Like `usualTime`, but including downloads under way.
  private var slowness = Duration.zero
  /// When a response was last complete, or on course to be complete in time.
  private(set) var lastDelivery: Instant?
  /// Whether the host has failed since its last complete response.
  private var hasFailed = false
  private var refusedConnections = 0

  init(share: Int) { self.share = share }

  enum Circuit: Equatable {
    case closed
    /// The pause after an outage is over. The next request is the probe.
    case halfOpen
    /// The refusal is nil while the outage is uncertain: requests wait.
    case open(HostRefusal?)
  }

  func circuit(at now: Instant, for url: URLHash) -> Circuit {
    guard let outage, outage.concerns(url) else { return .closed }
    if outage.probe == nil, now >= outage.nextTry { return .halfOpen }
    guard outage.isCertain else { return .open(nil) }
    return .open(.outage(for: now - outage.since, pause: outage.probe == nil ? outage.nextTry - now : .zero))
  }

  var isProven: Bool { usualTime != nil && !hasFailed && outage?.isWhole != true }

  func isQuick(_ limits: HostLimits) -> Bool { isProven && slowness <= limits.quickTime }
  func patience(_ limits: HostLimits) -> Duration {
    let usualTime = usualTime ?? .zero
    return max(limits.answerTimeout, usualTime + usualTime)
  }

  mutating func complete(_ transfer: PendingTransfer, at now: Instant, _ limits: HostLimits) {
    let time = now - transfer.began
    usualTime = max(time, Self.faded(usualTime ?? .zero))
    slowness = max(time, Self.faded(slowness))
    hasFailed = false
    refusedConnections = 0
    share = min(share + 1, limits.transfers)
    deliver(transfer, at: now)
  }

  /// Seven eighths of a time. Dividing a `Duration` takes ten times as long, because it has 128 bits.
  private static func faded(_ time: Duration) -> Duration { .microseconds(time.microseconds * 7 / 8) }

  /// Notes that a response is complete, or will be in time.
  mutating func deliver(_ transfer: PendingTransfer, at now: Instant) {
    lastDelivery = now
    outage?.end(for: transfer.url)
    if outage?.isOver == true { outage = nil }
  }

  mutating func noteAge(_ time: Duration) { slowness = max(slowness, time) }

  /// Notes that a response has not arrived, or not in time.
  /// - Parameter isCertain: whether it can no longer arrive.
  mutating func fail(_ transfer: PendingTransfer, isCertain: Bool, at now: Instant, _ limits: HostLimits) {
    lapse(limits)
    if outage?.probe == transfer.permit { return outage?.pause(at: now, limits) ?? () }
    let isSilent = lastDelivery.map { $0 < transfer.began } ?? true
    var outage = outage ?? Outage(since: transfer.began, limits)
    outage.add(transfer.url, isHostSilent: isSilent, at: now, limits)
    if isCertain { outage.isCertain = true }
    self.outage = outage
  }

  mutating func refuseConnection(_ transfer: PendingTransfer, at now: Instant, _ limits: HostLimits) {
    lapse(limits)
    refusedConnections += 1
    if outage?.probe == transfer.permit {
      outage?.pause(at: now, limits)
    } else if refusedConnections >= limits.maximumFailures {
      var outage = outage ?? Outage(since: lastDelivery ?? transfer.began, limits)
      outage.close(at: now, limits)
      outage.isCertain = true
      self.outage = outage
    }
  }

  private mutating func lapse(_ limits: HostLimits) {
    hasFailed = true
    share = limits.firstShare
  }

  mutating func reserveProbe(for permit: HostPermit.ID) { outage?.probe = permit }

  /// Lets another request be the probe if `permit` was the probe and found nothing out.
  mutating func abandonProbe(of permit: HostPermit.ID) {
    if outage?.probe == permit { outage?.probe = nil }
  }

  mutating func discount(_ gap: Duration) { lastDelivery = lastDelivery.map { $0 + gap } }
}
