internal import Supporting
internal import Synchronization

/// What `HostScheduler` knows about a payload: its places, and whether the whole payload goes back
/// to its queue because one of its media cannot be fetched now.
package final class PayloadTurn: Sendable {
  struct Places {
    var held = 0
    /// Media to fetch at the same time, including those that wait.
    var wanted = 0
    /// Media that wait for their hosts or for another payload's download. They need no places.
    var waiting = 0
    /// Whether the payload has yet to arrive.
    var isAhead = false

    var needed: Int { wanted - waiting }
  }

  /// Changed only under the lock of `Admission`.
  let places: Mutex<Places>
  private let mayGoBack: Bool
  private let goesBack = Atomic(false)

  init(mayGoBack: Bool, _ places: sending Places = Places()) {
    self.mayGoBack = mayGoBack
    self.places = Mutex(places)
  }

  package var isBack: Bool { goesBack.load(ordering: .relaxed) }

  /// - Returns: whether its queue takes the payload back.
  @discardableResult
  package func goBack() -> Bool {
    if mayGoBack { goesBack.store(true, ordering: .relaxed) }
    return mayGoBack
  }
}

/// The places of a payload. Released at the latest with the last reference to this object.
package final class PlaceReservation: Sendable {
  // A separate object from the turn, which `HostScheduler` keeps: if the scheduler freed the last
  // reference, `deinit` would run under the lock.
  package let turn: PayloadTurn
  private let admission: Admission
  private let isReleased = Atomic(false)

  init(_ turn: PayloadTurn, of admission: Admission) {
    self.turn = turn
    self.admission = admission
  }

  deinit { release() }

  /// Call this when the payload has arrived. Takes free places until it has `count`. Does not wait.
  @discardableResult
  package func grow(to count: Int) -> Int { admission.shared.withLock { $0.scheduler.grow(turn, to: count) } }

  /// Call this when a medium waits for another payload's download. It lends its place to others.
  package func beginWaiting() { admission.change { $0.scheduler.beginWaiting(turn, at: .now) } }

  /// Call this when the medium goes on: it asks for its host, or is done.
  package func endWaiting() { admission.shared.withLock { $0.scheduler.endWaiting(turn) } }

  /// Gives up one place that no medium needs anymore, unless it is the last one.
  package func releaseOne() { admission.change { $0.scheduler.releaseOne(turn, at: .now) } }

  package func release() {
    if isReleased.exchange(true, ordering: .relaxed) { return }
    admission.change { $0.scheduler.releasePlaces(of: turn, at: .now) }
  }
}
