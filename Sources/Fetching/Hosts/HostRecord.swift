internal import Supporting

/// What is known of a host, and how many downloads it may have. Callers pass the time in.
struct HostRecord {
  var permits = 0
  var lastUse: UInt64 = 0
  private(set) var share: Int
  private(set) var outage: Outage?
  /// How long its slower downloads take; nil if none has been complete yet.
  private(set) var usualTime: Duration?
  /// The same, including those under way.
  private var slowness = Duration.zero
  /// When a response was last complete, or on its way to be in time.
  private(set) var lastDelivery: Instant?
  /// Whether no response has been complete since its last failure.
  private var hasFailed = false
  private var refusedConnections = 0

  init(share: Int) { self.share = share }

  enum Circuit: Equatable {
    case closed
    /// The pause after an outage is over: the next request is the probe.
    case halfOpen
    /// Nil while nothing is certain: requests wait.
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
  func patience(_ limits: HostLimits) -> Duration { max(limits.answerTimeout, (usualTime ?? .zero) * 2) }

  mutating func complete(_ transfer: PendingTransfer, at now: Instant, _ limits: HostLimits) {
    let time = now - transfer.began
    usualTime = max(time, (usualTime ?? .zero) * 7 / 8)
    slowness = max(time, slowness * 7 / 8)
    hasFailed = false
    refusedConnections = 0
    share = min(share + 1, limits.transfers)
    deliver(transfer, at: now)
  }

  /// A response is complete, or will be in time.
  mutating func deliver(_ transfer: PendingTransfer, at now: Instant) {
    lastDelivery = now
    outage?.end(for: transfer.url)
    if outage?.isOver == true { outage = nil }
  }

  mutating func noteAge(_ time: Duration) { slowness = max(slowness, time) }

  /// A response does not come, or not in time.
  /// - Parameter isCertain: whether it can come no more.
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

  /// Lets another request be the probe, if `permit` had it and found nothing out.
  mutating func abandonProbe(of permit: HostPermit.ID) {
    if outage?.probe == permit { outage?.probe = nil }
  }

  mutating func discount(_ gap: Duration) { lastDelivery = lastDelivery.map { $0 + gap } }
}
