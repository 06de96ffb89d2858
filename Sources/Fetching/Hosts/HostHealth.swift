/// How a host has answered lately, and whether it may be asked: a circuit breaker. A value that is told the time.
struct HostHealth {
  typealias Instant = ContinuousClock.Instant

  enum Standing: Equatable {
    /// It has answered, and nothing has failed since.
    case proven
    case unproven
    /// In an outage whose pause is over: the next one to ask finds out.
    case probed
    case refused(HostRefusal)
  }

  /// No answers at all, since when, and what is done about it.
  struct Outage: Equatable {
    let since: Instant
    /// The last one.
    var pause: Duration
    var nextTry: Instant
    /// Whose turn is the probe, and since when he waits for his answer.
    var probe: (turn: HostTurn.ID, began: Instant?)?

    static func == (one: Outage, other: Outage) -> Bool {
      one.since == other.since && one.pause == other.pause && one.nextTry == other.nextTry
        && one.probe?.turn == other.probe?.turn
    }
  }

  /// Transfers that have a turn.
  var turns = 0
  /// When it was asked for last, in the order of all hosts.
  var lastUse: UInt64 = 0
  /// Since when others wait for their turns; nil when nobody had to since its last answer.
  private(set) var crowdedSince: Instant?
  private(set) var outage: Outage?
  private(set) var lastAnswer: Instant?
  /// What answers take, the slow ones at least.
  private var answerTime = Duration.zero
  private var failures = 0

  init(lastUse: UInt64 = 0) { self.lastUse = lastUse }

  var isProven: Bool { outage == nil && failures == 0 && lastAnswer != nil }

  /// Transfers that have a turn although it may never answer.
  var unprovenTurns: Int { isProven ? 0 : turns }

  func standing(at now: Instant) -> Standing {
    guard let outage else { return isProven ? .proven : .unproven }
    if outage.probe == nil, now >= outage.nextTry { return .probed }
    return .refused(refusal(in: outage, at: now))
  }

  private func refusal(in outage: Outage, at now: Instant) -> HostRefusal {
    .outage(for: now - outage.since, pause: outage.probe == nil ? outage.nextTry - now : .zero)
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
    lastAnswer = now
    crowdedSince = nil
    failures = 0
    outage = nil
  }

  /// There was no answer and there will be none.
  mutating func fail(_ turn: HostTurn.ID, since start: Instant, at now: Instant, _ limits: HostLimits) {
    failures += 1
    if outage?.probe?.turn == turn {
      pause(at: now, limits)
    } else if failures >= limits.maximumFailures {
      open(since: lastAnswer ?? start, at: now, limits)
    }
  }

  /// Looks at the time.
  ///
  /// What was asked before the last answer and is still without one says little of a host that nobody has asked since, unless there is
  /// much of it.
  /// - Parameter unanswered: since when it owes answers.
  mutating func look(_ unanswered: [Instant], at now: Instant, _ limits: HostLimits) {
    let patience = patience(limits)
    let oldest = unanswered.filter { $0 >= lastAnswer ?? $0 }.min()
    if let began = outage?.probe?.began {
      if now - began >= patience { pause(at: now, limits) }
    } else if let oldest, now - oldest >= patience {
      open(since: oldest, at: now, limits)
    } else if let lastAnswer, now - lastAnswer >= patience,
      unanswered.filter({ now - $0 >= patience }).count > limits.transfersOfUnproven
    {
      open(since: lastAnswer, at: now, limits)
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
    lastAnswer = lastAnswer.map { $0 + gap }
    crowdedSince = crowdedSince.map { $0 + gap }
    if let probe = outage?.probe { outage?.probe = (probe.turn, probe.began.map { $0 + gap }) }
  }

  private mutating func open(since start: Instant, at now: Instant, _ limits: HostLimits) {
    guard outage == nil else { return }
    outage = Outage(since: start, pause: limits.firstPause, nextTry: now)
    outage?.nextTry = now + limits.firstPause * limits.stretch()
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
