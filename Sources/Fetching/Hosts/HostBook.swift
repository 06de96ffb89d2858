/// What is known of all hosts, whose turn it is, and who waits for his. A value that is told the time; `HostTurns` acts on it.
///
/// Hosts that deliver may have all transfers. A host that has not yet, or too slowly of late, gets a few, and all of those together half of
/// them. The others wait, without a transfer, in one line whose memory is limited. When it is full, those whose hosts have delivered nothing
/// for a while are refused; while their hosts do, nothing more is taken up.
struct HostBook {
  typealias Instant = ContinuousClock.Instant
  typealias TransferID = UInt64

  /// What others are told.
  struct News {
    var answers: [(turn: HostTurn.ID, answer: HostAnswer)] = []
    /// Transfers that others need more than those who have them.
    var givenUp: [(transfer: TransferID, refusal: HostRefusal)] = []
  }

  /// A transfer whose response is not complete.
  struct Pending {
    let turn: HostTurn.ID
    let origin: Origin
    let url: URLMark
    /// Since when nothing has come of it. What comes slowly moves it on for as long as `HostLimits.slowest` would have taken.
    var quietSince: Instant
  }

  /// What somebody waits for.
  enum Obstacle: Equatable {
    case host(Origin)
    /// That fewer hosts are without an answer.
    case unprovenHosts
  }

  struct Waiting {
    let turn: HostTurn.ID
    let request: HostRequest
    var obstacle: Obstacle
  }

  let limits: HostLimits
  private(set) var hosts: [Origin: HostHealth] = [:]
  /// Turns of hosts that may never answer: the sum of what `hosts` says.
  private(set) var unprovenTurns = 0
  var turns: [HostTurn.ID: Origin] = [:]
  var pending: [TransferID: Pending] = [:]
  var waiting: [Waiting] = []
  var waitingBytes = 0
  /// Since when unproven hosts wait for each other; nil when none had to since one of them delivered something.
  var crowdedSince: Instant?
  var lastLook: Instant?
  private var uses: UInt64 = 0

  init(limits: HostLimits) { self.limits = limits }

  // MARK: - What happens

  /// Asks for a turn. Without an answer in what is returned, he waits.
  mutating func ask(_ request: HostRequest, as turn: HostTurn.ID, at now: Instant) -> News {
    var news = News()
    switch plan(request, at: now) {
    case .answered(let answer): news.answers.append((turn, enter(turn, request, answer, at: now)))
    case .waits(let obstacle):
      noteCrowd(obstacle, at: now)
      lineUp(Waiting(turn: turn, request: request, obstacle: obstacle), at: now, &news)
    }
    return news
  }

  /// He does not wait any more.
  mutating func withdraw(_ turn: HostTurn.ID) {
    guard let index = waiting.firstIndex(where: { $0.turn == turn }) else { return }
    waitingBytes -= waiting.remove(at: index).request.bytes
  }

  /// His turn is over.
  mutating func leave(_ turn: HostTurn.ID, at now: Instant) -> News {
    guard let origin = turns.removeValue(forKey: turn) else { return News() }
    let wasProven = hosts[origin]?.isProven == true
    change(origin) { host in
      host.turns -= 1
      host.leave(turn)
    }
    return wasProven ? News() : advance(at: now)
  }

  /// A request goes out to `origin`, which for a redirect need not be one that the turn is for.
  /// - Returns: why it does not go out.
  mutating func begin(
    _ transfer: TransferID, to origin: Origin, for url: URLMark, in turn: HostTurn.ID, at now: Instant
  ) -> HostRefusal? {
    if turns[turn] != origin, let refusal = refusalOfRedirect(to: origin, for: url, at: now) {
      return refusal
    }
    touch(origin)
    change(origin) { host in
      if host.standing(at: now, for: url) == .probed { host.beginProbe(turn) }
      host.begin(turn, at: now)
    }
    // Before, there was nobody to listen to.
    if pending.isEmpty { lastLook = now }
    pending[transfer] = Pending(turn: turn, origin: origin, url: url, quietSince: now)
    return nil
  }

  /// The head of the response is there. That costs a host nothing, and proves nothing but that its silence was its way.
  mutating func answer(_ transfer: TransferID, at now: Instant) {
    guard let answered = pending[transfer] else { return }
    pending[transfer]?.quietSince = now
    change(answered.origin) { $0.answer(since: answered.quietSince, at: now) }
  }

  /// That many bytes of its body are there.
  mutating func receive(_ transfer: TransferID, _ bytes: Int, at now: Instant) -> News {
    guard let receiving = pending[transfer] else { return News() }
    let worth = Duration.seconds(1) * bytes / limits.slowest
    pending[transfer]?.quietSince = min(receiving.quietSince + worth, now)
    return deliver(receiving.origin, at: now)
  }

  /// All of the response is there, or all that is wanted of it.
  mutating func complete(_ transfer: TransferID, at now: Instant) -> News {
    guard let complete = pending.removeValue(forKey: transfer) else { return News() }
    touch(complete.origin)
    return deliver(complete.origin, at: now)
  }

  private mutating func deliver(_ origin: Origin, at now: Instant) -> News {
    let wasProven = hosts[origin]?.isProven == true
    let limits = limits
    change(origin) { $0.deliver(at: now, limits) }
    guard !wasProven, hosts[origin]?.isProven == true else { return News() }
    crowdedSince = nil
    return advance(at: now)
  }

  /// It is over and nothing has come of it.
  /// - Parameter isFailure: whether the host is to blame.
  mutating func end(_ transfer: TransferID, isFailure: Bool, at now: Instant) -> News {
    guard let over = pending.removeValue(forKey: transfer) else { return News() }
    guard isFailure else {
      // It may have been the probe of a host to which it was redirected, and of which its turn knows nothing.
      change(over.origin) { $0.leave(over.turn) }
      return News()
    }
    let limits = limits
    change(over.origin) { $0.fail(over.turn, since: over.quietSince, at: now, limits) }
    return hosts[over.origin]?.outage == nil ? News() : advance(at: now)
  }

  /// The host let in, and hung up without an answer.
  mutating func hangUp(_ transfer: TransferID, at now: Instant) -> News {
    guard let over = pending.removeValue(forKey: transfer) else { return News() }
    let limits = limits
    change(over.origin) { $0.hangUp(over.turn, limits) }
    return advance(at: now)
  }

  // MARK: - Hosts

  /// Changes what is known of a host; nothing where nothing is.
  mutating func change(_ origin: Origin, _ body: (inout HostHealth) -> Void) {
    guard let index = hosts.index(forKey: origin) else { return }
    unprovenTurns -= hosts.values[index].unprovenTurns
    body(&hosts.values[index])
    unprovenTurns += hosts.values[index].unprovenTurns
  }

  /// Makes an entry for `origin`, or says that it was of use.
  mutating func touch(_ origin: Origin) {
    uses += 1
    if let index = hosts.index(forKey: origin) {
      hosts.values[index].lastUse = uses
    } else {
      if hosts.count >= limits.maximumHosts { forgetOne() }
      hosts[origin] = HostHealth(lastUse: uses)
    }
  }

  /// Forgets whom nobody has asked for the longest.
  private mutating func forgetOne() {
    let busy = Set(pending.values.map(\.origin))
    let idle = hosts.lazy.filter { $0.value.turns == 0 && !busy.contains($0.key) }
    if let last = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) { hosts[last.key] = nil }
  }
}
