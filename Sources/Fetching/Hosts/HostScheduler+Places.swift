internal import Synchronization

/// A place is memory for one download. A payload lends the places of those of its media that wait.
extension HostScheduler {
  /// Takes a place for each payload, if there are free ones. For payloads that have yet to arrive,
  /// leaves half of them to payloads with several media. Takes none while a new name waits to be
  /// looked up, because the payloads would wait behind it and lose time.
  mutating func take(_ intake: Admission.Intake, at now: Instant) -> [PayloadTurn] {
    guard free > 0, !room.needsPlaces else { return [] }
    switch intake {
    case .here:
      free -= 1
      return [PayloadTurn(mayGoBack: false, .init(held: 1, wanted: 1))]
    case .ahead(let most, let size, let mayReturn):
      if hasNewNames { return [] }
      let count = min(most, free - free / 2, capacity(for: size, mayReturn: mayReturn, at: now))
      free -= count
      ahead += count
      return (0..<count).map { _ in
        PayloadTurn(mayGoBack: mayReturn, .init(held: 1, wanted: 1, isAhead: true))
      }
    }
  }

  mutating func grow(_ turn: PayloadTurn, to count: Int) -> Int {
    begin(turn)
    return turn.places.withLock { places in
      let taken = max(0, min(count - places.held, free))
      free -= taken
      places.held += taken
      places.wanted = places.held
      return places.held
    }
  }

  mutating func beginWaiting(_ turn: PayloadTurn, at now: Instant) {
    begin(turn)
    turn.places.withLock { $0.waiting += 1 }
    freeSurplus(of: turn, at: now)
  }

  func endWaiting(_ turn: PayloadTurn) { turn.places.withLock { $0.waiting -= 1 } }

  mutating func releaseOne(_ turn: PayloadTurn, at now: Instant) {
    turn.places.withLock { $0.wanted = max(1, $0.wanted - 1) }
    freeSurplus(of: turn, at: now)
  }

  mutating func releasePlaces(of turn: PayloadTurn, at now: Instant) {
    begin(turn)
    turn.places.withLock { ($0.wanted, $0.waiting) = (0, 0) }
    freeSurplus(of: turn, at: now)
  }

  /// Whether a medium that is counted as waiting needs a place to go on.
  func needsPlace(_ turn: PayloadTurn) -> Bool { turn.places.withLock { $0.held <= $0.needed } }

  mutating func takePlace(for turn: PayloadTurn) {
    turn.places.withLock { places in
      places.waiting -= 1
      guard places.held < places.needed else { return }
      places.held += 1
      free -= 1
    }
  }

  /// Notes that the payload of `turn` has arrived, or never will.
  mutating func begin(_ turn: PayloadTurn) {
    turn.places.withLock { places in
      if places.isAhead { ahead -= 1 }
      places.isAhead = false
    }
  }

  /// Frees the places that `turn` does not need, such as those of media that wait.
  mutating func freeSurplus(of turn: PayloadTurn, at now: Instant) {
    let surplus = turn.places.withLock { places in
      let surplus = max(0, places.held - max(0, places.needed))
      places.held -= surplus
      return surplus
    }
    free += surplus
    if surplus > 0, room.needsPlaces { admitGuests(at: now) }
  }
}
