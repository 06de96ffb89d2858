/// Who gets a turn, and who waits.
extension HostBook {
  enum Plan {
    case answered(HostAnswer)
    case waits(Obstacle)
  }

  /// What somebody may do now who asks for `request`.
  func plan(_ request: HostRequest, at now: Instant) -> Plan {
    let host = hosts[request.origin] ?? HostHealth()
    switch host.standing(at: now, for: request.url) {
    case .proven: return .answered(.granted)
    case .refused(let refusal): return .answered(.refused(refusal))
    case .unproven where host.turns >= host.transfersOfUnproven(limits): return .waits(.host(request.origin))
    case .unproven, .probed:
      return unprovenTurns < limits.transfersOfAllUnproven ? .answered(.granted) : .waits(.unprovenHosts)
    }
  }

  mutating func enter(
    _ turn: HostTurn.ID, _ request: HostRequest, _ answer: HostAnswer, at now: Instant
  ) -> HostAnswer {
    touch(request.origin)
    guard answer == .granted else { return answer }
    turns[turn] = request.origin
    change(request.origin) { host in
      host.turns += 1
      if host.standing(at: now, for: request.url) == .probed { host.beginProbe(turn) }
    }
    return answer
  }

  /// Gives turns to those in the line who can have them now, and refusals.
  mutating func advance(at now: Instant) -> News {
    var news = News()
    var rest: [Waiting] = []
    for var one in waiting {
      switch plan(one.request, at: now) {
      case .answered(let answer):
        waitingBytes -= one.request.bytes
        news.answers.append((one.turn, enter(one.turn, one.request, answer, at: now)))
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
        return news.answers.append((one.turn, refusal(for: one.obstacle)))
      }
      let other = waiting.remove(at: index)
      waitingBytes -= other.request.bytes
      news.answers.append((other.turn, refusal(for: worst)))
    }
    waiting.append(one)
    waitingBytes += one.request.bytes
  }

  private func refusal(for obstacle: Obstacle) -> HostAnswer {
    switch obstacle {
    case .host: .refused(.crowded)
    case .unprovenHosts: .refused(.unproven)
    }
  }

  mutating func noteCrowd(_ obstacle: Obstacle, at now: Instant) {
    switch obstacle {
    case .host(let origin):
      change(origin) { $0.noteCrowd(at: now) }
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
