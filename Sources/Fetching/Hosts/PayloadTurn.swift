internal import Supporting
internal import Synchronization

/// What `HostScheduler` knows of a payload: its places, and whether it goes back to its queue, as a whole,
/// because one of its media cannot be fetched now.
package final class PayloadTurn: Sendable {
  struct Places {
    var held = 0
    /// Media that are to be fetched at once, including those that wait.
    var wanted = 0
    /// Media that wait for their hosts, or for another payload's download: these need no places.
    var waiting = 0
    /// Whether the payload is still to come.
    var isAhead = false

    var needed: Int { wanted - waiting }
  }

  /// Changed under the lock of `Admission` alone.
  let places: Mutex<Places>
  private let mayGoBack: Bool
  private let goesBack = Atomic(false)

  init(mayGoBack: Bool, _ places: sending Places = Places()) {
    self.mayGoBack = mayGoBack
    self.places = Mutex(places)
  }

  package var isBack: Bool { goesBack.load(ordering: .relaxed) }

  /// - Returns: whether its queue takes it back.
  @discardableResult
  package func goBack() -> Bool {
    if mayGoBack { goesBack.store(true, ordering: .relaxed) }
    return mayGoBack
  }
}

/// The places of a payload, free again with the last reference to this, at the latest.
package final class PlaceReservation: Sendable {
  // An object of its own: `HostScheduler` keeps turns, and the last one would be freed under the lock.
  package let turn: PayloadTurn
  private let admission: Admission
  private let isReleased = Atomic(false)

  init(_ turn: PayloadTurn, of admission: Admission) {
    self.turn = turn
    self.admission = admission
  }

  deinit { release() }

  /// The payload has come. Takes free places, without waiting, until it has `count`.
  @discardableResult
  package func grow(to count: Int) -> Int { admission.shared.withLock { $0.scheduler.grow(turn, to: count) } }

  /// A medium waits for another payload's download, and lends its place to others.
  package func beginWaiting() { admission.change { $0.scheduler.beginWaiting(turn, at: .now) } }

  /// The medium goes on: it asks for its host, or is done.
  package func endWaiting() { admission.shared.withLock { $0.scheduler.endWaiting(turn) } }

  /// Gives up one place that no medium needs any more, unless it is the last one.
  package func releaseOne() { admission.change { $0.scheduler.releaseOne(turn, at: .now) } }

  package func release() {
    if isReleased.exchange(true, ordering: .relaxed) { return }
    admission.change { $0.scheduler.releasePlaces(of: turn, at: .now) }
  }
}
