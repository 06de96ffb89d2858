internal import Supporting

/// Whether one host may be asked, given how it has answered lately. A value: callers pass the time in.
///
/// Of its states two are a closed circuit: `proven` and `unproven`, which differ in how many transfers the
/// host may have.
struct CircuitBreaker {
  typealias Instant = MonotonicTime

  enum State: Equatable {
    /// It has delivered something, nothing has failed since, and few transfers were too slow of late.
    case proven
    case unproven
    /// The pause after an outage is over: the next request is the probe.
    case halfOpen
    case open(HostRefusal)
  }

  /// A time without answers.
  struct Outage {
    let since: Instant
    /// The last one.
    var pause: Duration
    var nextTry: Instant
    /// The permit that the probe has, and when its request was sent; nil until then.
    var probe: (permit: HostPermit.ID, sent: Instant?)?
    /// URLs that it left unanswered; one more than `HostLimits.maximumSilentURLs` at the most.
    var silent: Set<URLHash>
    /// Whether the whole host is out. One URL that hangs says nothing of another.
    var isWhole: Bool

    func concerns(_ url: URLHash) -> Bool { isWhole || silent.contains(url) }

    /// When `url` may be the probe. Others go before those that were silent, which may be sent on purpose.
    func nextTry(of url: URLHash) -> Instant { isWhole && silent.contains(url) ? nextTry + pause : nextTry }

    mutating func add(_ urls: Set<URLHash>, _ limits: HostLimits) {
      let most = limits.maximumSilentURLs
      if silent.count <= most { silent.formUnion(urls.prefix(most + 1)) }
      isWhole = isWhole || silent.count > most
    }
  }

  /// Permits that are held for it.
  var permits = 0
  /// Its rank among all hosts by time of use.
  var lastUse: UInt64 = 0
  /// When a request first had to wait for a permit; nil if none has since the last delivery.
  private(set) var firstWaitSince: Instant?
  private(set) var outage: Outage?
  /// When a part of a body, or the end of a response, arrived last.
  private(set) var lastDelivery: Instant?
  /// When more of its transfers had timed out than it may keep; nil when that was long ago.
  private(set) var lastTimeout: Instant?
  /// How long it takes to answer, the slower responses at least.
  private var responseTime = Duration.zero
  private var failures = 0

  init(lastUse: UInt64 = 0) { self.lastUse = lastUse }

  var isProven: Bool { outage == nil && failures == 0 && lastDelivery != nil && lastTimeout == nil }

  /// Permits that may never come to anything.
  var unprovenPermits: Int { isProven ? 0 : permits }

  /// - Returns: by how much that changes `unprovenPermits`.
  mutating func change(_ body: (inout CircuitBreaker) -> Void) -> Int {
    let before = unprovenPermits
    body(&self)
    return unprovenPermits - before
  }

  func state(at now: Instant, for url: URLHash) -> State {
    guard let outage, outage.concerns(url) else { return isProven ? .proven : .unproven }
    let next = outage.nextTry(of: url)
    if outage.probe == nil, now >= next { return .halfOpen }
    return .open(.outage(for: now - outage.since, pause: outage.probe == nil ? next - now : .zero))
  }

  /// Transfers at once while it is unproven: twice as many where only some of its URLs hang, which may hold
  /// half of them.
  func transfersWhileUnproven(_ limits: HostLimits) -> Int {
    let isPartial = outage.map { !$0.isWhole } ?? (lastTimeout != nil)
    return limits.transfersPerUnprovenHost * (isPartial ? 2 : 1)
  }

  /// How long a transfer may be quiet before it has timed out.
  func answerTimeout(_ limits: HostLimits) -> Duration {
    max(limits.answerTimeout, min(responseTime * 2, limits.answerTimeout * 3))
  }

  // MARK: - What happens

  mutating func reserveProbe(for permit: HostPermit.ID) { outage?.probe = (permit, nil) }

  mutating func requestSent(with permit: HostPermit.ID, at now: Instant) {
    if outage?.probe?.permit == permit { outage?.probe = (permit, now) }
  }

  /// Lets another request be the probe, if `permit` had it and found nothing out.
  mutating func abandonProbe(of permit: HostPermit.ID) {
    if outage?.probe?.permit == permit { outage?.probe = nil }
  }

  /// The head of a response has arrived this long after the request.
  mutating func answered(after time: Duration, at now: Instant) {
    responseTime = max(time, responseTime * 7 / 8)
    firstWaitSince = firstWaitSince.map { _ in now }
  }

  /// A part of a body has arrived, or the end of a response.
  mutating func delivered(at now: Instant, _ limits: HostLimits) {
    lastDelivery = now
    firstWaitSince = nil
    failures = 0
    outage = nil
    // Not at once: a host that lets all of its transfers drip would get as many again with the first that it
    // does not.
    if let last = lastTimeout, now - last >= answerTimeout(limits) * 2 { lastTimeout = nil }
  }

  /// A request had no response, and the host is to blame.
  /// - Parameter start: when it was sent.
  mutating func failed(
    with permit: HostPermit.ID, since start: Instant, at now: Instant, _ limits: HostLimits
  ) {
    failures += 1
    if outage?.probe?.permit == permit {
      pause(at: now, limits)
    } else if failures >= limits.maximumFailures {
      open(since: lastDelivery ?? start, for: nil, at: now, limits)
    }
  }

  /// The host accepted a connection and closed it without a response. That ends an outage of refused
  /// connections, but says nothing about URLs that hang.
  mutating func hungUp(on permit: HostPermit.ID, _ limits: HostLimits) {
    guard outage?.silent.isEmpty == true else { return abandonProbe(of: permit) }
    outage = nil
    // Whether it answers is still unknown: a few more refusals are an outage again.
    failures = min(failures, limits.maximumFailures / 2)
  }

  /// Acts on the time that has passed.
  ///
  /// A transfer that has been quiet since before the last delivery is weak evidence against a host of which
  /// nothing newer is pending, unless there are many of them.
  /// - Parameter quiet: since when nothing has come of its transfers, and their URLs.
  mutating func tick(_ quiet: [(since: Instant, url: URLHash)], at now: Instant, _ limits: HostLimits) {
    let timeout = answerTimeout(limits)
    let silent = quiet.filter { now - $0.since >= timeout }
    if silent.count > limits.transfersPerUnprovenHost { lastTimeout = now }
    let new = silent.filter { $0.since >= lastDelivery ?? $0.since }
    if let sent = outage?.probe?.sent, now - sent >= timeout { pause(at: now, limits) }
    if let oldest = new.map(\.since).min() {
      open(since: oldest, for: Set(new.map(\.url)), at: now, limits)
    } else if let lastDelivery, now - lastDelivery >= timeout, silent.count > limits.transfersPerUnprovenHost
    {
      open(since: lastDelivery, for: Set(silent.map(\.url)), at: now, limits)
    }
  }

  /// A request has to wait for a permit.
  mutating func noteWaiter(at now: Instant) { firstWaitSince = firstWaitSince ?? now }

  /// Moves the times since which nothing has come forward: the process could not have received anything for
  /// that long. A pause that has begun ends when it would have.
  mutating func discount(_ gap: Duration) {
    lastDelivery = lastDelivery.map { $0 + gap }
    lastTimeout = lastTimeout.map { $0 + gap }
    discountWait(gap)
    if let probe = outage?.probe { outage?.probe = (probe.permit, probe.sent.map { $0 + gap }) }
  }

  /// Moves the time since which requests wait forward: they have waited for something else.
  mutating func discountWait(_ gap: Duration) { firstWaitSince = firstWaitSince.map { $0 + gap } }

  /// - Parameter urls: those that it left unanswered; nil for all.
  private mutating func open(
    since start: Instant, for urls: Set<URLHash>?, at now: Instant, _ limits: HostLimits
  ) {
    let wasWhole = outage?.isWhole
    var outage =
      self.outage
      ?? Outage(since: start, pause: limits.firstPause, nextTry: now, silent: [], isWhole: false)
    if let urls { outage.add(urls, limits) } else { outage.isWhole = true }
    if outage.isWhole != wasWhole { outage.nextTry = now + outage.pause * limits.jitterFactor() }
    self.outage = outage
  }

  /// The probe has failed.
  private mutating func pause(at now: Instant, _ limits: HostLimits) {
    guard var outage else { return }
    outage.pause = min(outage.pause * 2, limits.longestPause)
    outage.nextTry = now + outage.pause * limits.jitterFactor()
    outage.probe = nil
    self.outage = outage
  }
}
