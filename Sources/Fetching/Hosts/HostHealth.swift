/// How a host has answered lately, and whether it may be asked: a circuit breaker. A value that is told the time.
struct HostHealth {
  typealias Instant = ContinuousClock.Instant

  enum Standing: Equatable {
    /// It has delivered something, nothing has failed since, and nothing was too slow of late.
    case proven
    case unproven
    /// In an outage whose pause is over: the next one to ask finds out.
    case probed
    case refused(HostRefusal)
  }

  /// No answers, since when, and what is done about it.
  struct Outage: Equatable {
    let since: Instant
    /// The last one.
    var pause: Duration
    var nextTry: Instant
    /// Whose turn is the probe, and since when he waits for his answer.
    var probe: (turn: HostTurn.ID, began: Instant?)?
    /// The URLs that it left without an answer: a few of them, where they are many.
    var silent: Set<URLMark>
    /// Whether all of the host is out. One URL that hangs does not say so of another.
    var isWhole: Bool

    func concerns(_ url: URLMark) -> Bool { isWhole || silent.contains(url) }

    /// When `url` may find out whether it is over. Others go before those that were silent: whoever sends those may do so on purpose.
    func nextTry(of url: URLMark) -> Instant { isWhole && silent.contains(url) ? nextTry + pause : nextTry }

    mutating func add(_ urls: Set<URLMark>, _ limits: HostLimits) {
      let most = limits.maximumSilentURLs
      if silent.count <= most { silent.formUnion(urls.prefix(most + 1)) }
      isWhole = isWhole || silent.count > most
    }

    static func == (one: Outage, other: Outage) -> Bool {
      one.since == other.since && one.pause == other.pause && one.nextTry == other.nextTry
        && one.probe?.turn == other.probe?.turn && one.silent == other.silent
        && one.isWhole == other.isWhole
    }
  }

  /// Transfers that have a turn.
  var turns = 0
  /// When it was asked for last, in the order of all hosts.
  var lastUse: UInt64 = 0
  /// Since when others wait for their turns; nil when nobody had to since its last delivery.
  private(set) var crowdedSince: Instant?
  private(set) var outage: Outage?
  /// When something of a body came last, or the end of a response.
  private(set) var lastDelivery: Instant?
  /// When one of its transfers was too slow last; nil when none has been for a while.
  private(set) var lastLag: Instant?
  /// What answers take, the slow ones at least.
  private var answerTime = Duration.zero
  private var failures = 0

  init(lastUse: UInt64 = 0) { self.lastUse = lastUse }

  var isProven: Bool { outage == nil && failures == 0 && lastDelivery != nil && lastLag == nil }

  /// Transfers that have a turn although nothing may ever come of them.
  var unprovenTurns: Int { isProven ? 0 : turns }

  func standing(at now: Instant, for url: URLMark) -> Standing {
    guard let outage, outage.concerns(url) else { return isProven ? .proven : .unproven }
    let next = outage.nextTry(of: url)
    if outage.probe == nil, now >= next { return .probed }
    return .refused(.outage(for: now - outage.since, pause: outage.probe == nil ? next - now : .zero))
  }

  /// Transfers at once while it is not proven. Those of URLs that are out or slow leave room for others.
  func transfersOfUnproven(_ limits: HostLimits) -> Int {
    let isPartly = outage.map { !$0.isWhole } ?? (lastLag != nil)
    return limits.transfersOfUnproven * (isPartly ? 2 : 1)
  }

  /// How long it may be silent.
  func patience(_ limits: HostLimits) -> Duration {
    max(limits.patience, min(answerTime * 2, limits.patience * 3))
  }

  // MARK: - What happens

  mutating func beginProbe(_ turn: HostTurn.ID) { outage?.probe = (turn, nil) }

  /// A request of this turn goes out.
  mutating func begin(_ turn: HostTurn.ID, at now: Instant) {
    if outage?.probe?.turn == turn { outage?.probe = (turn, now) }
  }

  /// The head of a response is there, to what was asked at `start`.
  mutating func answer(since start: Instant, at now: Instant) {
    answerTime = max(now - start, answerTime * 7 / 8)
  }

  /// Something of a body is there, or the end of a response.
  mutating func deliver(at now: Instant, _ limits: HostLimits) {
    lastDelivery = now
    crowdedSince = nil
    failures = 0
    outage = nil
    // A host that lets all of its transfers drip would have all of them again with the first one that it does not.
    if let lag = lastLag, now - lag >= patience(limits) * 2 { lastLag = nil }
  }

  /// There was no answer and there will be none.
  mutating func fail(_ turn: HostTurn.ID, since start: Instant, at now: Instant, _ limits: HostLimits) {
    failures += 1
    if outage?.probe?.turn == turn {
      pause(at: now, limits)
    } else if failures >= limits.maximumFailures {
      open(since: lastDelivery ?? start, for: nil, at: now, limits)
    }
  }

  /// It let somebody in, and hung up: it takes connections again, and has answered nothing. Of URLs that hang that says nothing.
  mutating func hangUp(_ turn: HostTurn.ID, _ limits: HostLimits) {
    guard outage?.silent.isEmpty == true else { return leave(turn) }
    outage = nil
    // Whether it answers is not known, and a few refusals more are an outage again.
    failures = min(failures, limits.maximumFailures / 2)
  }

  /// Looks at the time.
  ///
  /// What has been quiet since before the last delivery says little of a host that nobody has asked since, unless there is much of it.
  /// - Parameter quiet: since when nothing has come of its transfers, and of which URLs those are.
  mutating func look(_ quiet: [(since: Instant, url: URLMark)], at now: Instant, _ limits: HostLimits) {
    let patience = patience(limits)
    let silent = quiet.filter { now - $0.since >= patience }
    if !silent.isEmpty { lastLag = now }
    let new = silent.filter { $0.since >= lastDelivery ?? $0.since }
    if let began = outage?.probe?.began, now - began >= patience { pause(at: now, limits) }
    if let oldest = new.map(\.since).min() {
      open(since: oldest, for: Set(new.map(\.url)), at: now, limits)
    } else if let lastDelivery, now - lastDelivery >= patience, silent.count > limits.transfersOfUnproven {
      open(since: lastDelivery, for: Set(silent.map(\.url)), at: now, limits)
    }
  }

  /// Somebody has to wait for his turn.
  mutating func noteCrowd(at now: Instant) { crowdedSince = crowdedSince ?? now }

  /// A turn is over. If it was the probe and has found nothing out, the next one is.
  mutating func leave(_ turn: HostTurn.ID) {
    if outage?.probe?.turn == turn { outage?.probe = nil }
  }

  /// For that long nobody could have heard it.
  mutating func excuse(_ gap: Duration) {
    lastDelivery = lastDelivery.map { $0 + gap }
    crowdedSince = crowdedSince.map { $0 + gap }
    if let probe = outage?.probe { outage?.probe = (probe.turn, probe.began.map { $0 + gap }) }
  }

  /// - Parameter urls: what it left without an answer; nil where that makes no difference.
  private mutating func open(
    since start: Instant, for urls: Set<URLMark>?, at now: Instant, _ limits: HostLimits
  ) {
    var outage =
      self.outage
      ?? Outage(since: start, pause: limits.firstPause, nextTry: now, silent: [], isWhole: false)
    if let urls { outage.add(urls, limits) } else { outage.isWhole = true }
    if outage.isWhole != self.outage?.isWhole { outage.nextTry = now + outage.pause * limits.stretch() }
    self.outage = outage
  }

  private mutating func pause(at now: Instant, _ limits: HostLimits) {
    guard var outage else { return }
    outage.pause = min(outage.pause * 2, limits.longestPause)
    outage.nextTry = now + outage.pause * limits.stretch()
    outage.probe = nil
    self.outage = outage
  }
}

extension HostLimits {
  /// What a pause is multiplied with.
  fileprivate func stretch() -> Double { 1 + Double.random(in: -jitter...jitter) }
}
