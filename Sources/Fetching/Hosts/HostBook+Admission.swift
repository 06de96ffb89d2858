/// Who gets a turn, and who waits.
extension HostBook {
  enum Plan {
    case granted(HostGrant)
    case waits(Obstacle)
  }

  /// What somebody may do now.
  /// - Parameter refusals: of hosts that he is refused in any case.
  func plan(
    _ request: HostRequest, refusing refusals: [Origin: HostRefusal] = [:], at now: Instant
  ) -> Plan {
    var grant = HostGrant(refusals: refusals)
    var isUnproven = false
    for (origin, count) in request.media where refusals[origin] == nil {
      switch hosts[origin]?.standing(at: now) ?? .unproven {
      case .proven: grant.width += count
      case .refused(let refusal): grant.refusals[origin] = refusal
      case .probed:
        isUnproven = true
        grant.width += 1
      case .unproven:
        isUnproven = true
        let free = limits.transfersOfUnproven - (hosts[origin]?.turns ?? 0)
        guard free > 0 else { return .waits(.host(origin)) }
        grant.width += min(count, free)
      }
    }
    guard isUnproven else { return .granted(grant) }
    let free = limits.transfersOfAllUnproven - transfersOfAllUnproven
    guard free > 0 else { return .waits(.unprovenHosts) }
    grant.width = min(grant.width, free)
    return .granted(grant)
  }

  private var transfersOfAllUnproven: Int {
    turns.values.lazy.filter { turn in
      turn.transfers.keys.contains { hosts[$0]?.isProven != true }
    }.reduce(0) { $0 + $1.width }
  }

  mutating func enter(
    _ turn: HostTurn.ID, _ request: HostRequest, _ grant: HostGrant, at now: Instant
  ) -> HostGrant {
    var transfers: [Origin: Int] = [:]
    for (origin, count) in request.media {
      touch(origin)
      guard grant.refusals[origin] == nil else { continue }
      transfers[origin] = min(count, grant.width)
      hosts[origin]?.turns += min(count, grant.width)
      if case .probed? = hosts[origin]?.standing(at: now) { hosts[origin]?.beginProbe(turn) }
    }
    if !transfers.isEmpty { turns[turn] = Turn(transfers: transfers, width: grant.width) }
    return grant
  }

  /// Gives turns to those in the line who can have them now, and refusals.
  mutating func advance(at now: Instant) -> News {
    var news = News()
    var rest: [Waiting] = []
    for var one in waiting {
      switch plan(one.request, at: now) {
      case .granted(let grant):
        waitingBytes -= one.request.bytes
        news.grants.append((one.turn, enter(one.turn, one.request, grant, at: now)))
      case .waits(let obstacle):
        one.obstacle = obstacle
        noteCrowd(obstacle, at: now)
        rest.append(one)
      }
    }
    waiting = rest
    return news
  }

  // MARK: - The line

  /// Whether more can be taken up: there is room in the line, or somebody in it who will not be waited for.
  func isOpen(at now: Instant) -> Bool {
    waitingBytes < limits.waitingBytes || waiting.contains { isSilent($0.obstacle, at: now) }
  }

  /// Makes room for `one`, by refusing him or others, those first whose hosts have been silent for the longest. Where none are, the line is
  /// longer than it should be for a while: nobody is refused because of a host that answers, and no more is taken up meanwhile.
  mutating func lineUp(_ one: Waiting, at now: Instant, _ news: inout News) {
    while waitingBytes + one.request.bytes > limits.waitingBytes {
      let obstacles = waiting.map(\.obstacle) + [one.obstacle]
      let silent = obstacles.filter { isSilent($0, at: now) }
      guard let worst = silent.min(by: { crowdedSince($0) ?? now < crowdedSince($1) ?? now }) else { break }
      guard let index = waiting.lastIndex(where: { $0.obstacle == worst }), one.obstacle != worst else {
        return refuse(one, at: now, &news)
      }
      let other = waiting.remove(at: index)
      waitingBytes -= other.request.bytes
      refuse(other, at: now, &news)
    }
    waiting.append(one)
    waitingBytes += one.request.bytes
  }

  /// Lets somebody go on without the hosts that he would have to wait for.
  private mutating func refuse(_ one: Waiting, at now: Instant, _ news: inout News) {
    var refusals: [Origin: HostRefusal] = [:]
    var obstacle = one.obstacle
    while true {
      switch obstacle {
      case .host(let origin): refusals[origin] = .crowded
      case .unprovenHosts:
        for origin in one.request.media.keys where hosts[origin]?.isProven != true {
          refusals[origin] = .unproven
        }
      }
      switch plan(one.request, refusing: refusals, at: now) {
      case .granted(let grant):
        return news.grants.append((one.turn, enter(one.turn, one.request, grant, at: now)))
      case .waits(let next): obstacle = next
      }
    }
  }

  mutating func noteCrowd(_ obstacle: Obstacle, at now: Instant) {
    switch obstacle {
    case .host(let origin):
      hosts[origin]?.noteCrowd(at: now)
    case .unprovenHosts: crowdedSince = crowdedSince ?? now
    }
  }

  func isSilent(_ obstacle: Obstacle, at now: Instant) -> Bool {
    crowdedSince(obstacle).map { now - $0 >= limits.hush } ?? false
  }

  private func crowdedSince(_ obstacle: Obstacle) -> Instant? {
    switch obstacle {
    case .host(let origin): hosts[origin]?.crowdedSince
    case .unprovenHosts: crowdedSince
    }
  }
}
