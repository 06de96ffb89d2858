internal import Queueing
internal import Serving
internal import Supporting
internal import Synchronization

/// A request whose client waits for the answer.
final class Visit: Sendable {
  let delivery: Delivery
  let reply = Waiter<Response>()

  init(_ message: Message, arrival: ContinuousClock.Instant) {
    delivery = Delivery(
      message: message, attempt: 1, receipt: message.id, arrival: arrival, withdrawal: Withdrawal())
  }
}

/// The visits that have places. Some wait for the worker, and the worker is working on the others.
final class Visits: Sendable {
  private struct State {
    /// In order of arrival.
    var waiting: [Visit] = []
    /// By receipt.
    var taken: [String: Visit] = [:]
    var isClosed = false
    /// Set while the worker waits for a visit: what wakes it, and when its wait ends.
    var bell: (waiter: Waiter<Void>, end: ContinuousClock.Instant)?

    mutating func remove(_ receipt: String) -> Visit? {
      if let visit = taken.removeValue(forKey: receipt) { return visit }
      let index = waiting.firstIndex { $0.delivery.receipt == receipt }
      return index.map { waiting.remove(at: $0) }
    }
  }

  private let places: Int
  private let state = Mutex(State())

  init(places: Int) { self.places = places }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  var backlog: Backlog {
    state.withLock { state in
      let oldest = (state.waiting.map(\.delivery.arrival) + state.taken.values.map(\.delivery.arrival)).min()
      return Backlog(
        waiting: state.waiting.count, onLease: state.taken.count, oldestAge: oldest.map { .now - $0 })
    }
  }

  /// - Returns: false if all places are taken, or if the door is closing.
  func enter(_ visit: Visit) -> Bool {
    let (isIn, bell) = state.withLock { state -> (Bool, Waiter<Void>?) in
      guard !state.isClosed, state.waiting.count + state.taken.count < places else { return (false, nil) }
      state.waiting.append(visit)
      return (true, state.bell.take()?.waiter)
    }
    bell?.resume(returning: ())
    return isIn
  }

  /// Hands out visits. Returns nil if no more will come.
  func take(_ limit: Int) -> [Delivery]? {
    state.withLock { state in
      let visits = state.waiting.prefix(limit)
      state.waiting.removeFirst(visits.count)
      for visit in visits { state.taken[visit.delivery.receipt] = visit }
      return visits.isEmpty && state.isClosed ? nil : visits.map(\.delivery)
    }
  }

  /// Waits until there is a visit to take or no more will come, for at most `duration`. The caller must make
  /// sure that `ring` is called at that time.
  func wait(upTo duration: Duration) async {
    let waiter = Waiter<Void>()
    let end = ContinuousClock.now + duration
    let waits = state.withLock { state in
      guard state.waiting.isEmpty, !state.isClosed, duration > .zero else { return false }
      state.bell = (waiter, end)
      return true
    }
    if waits { await waiter.wait(cancelled: ()) { takeBell() } }
  }

  /// Ends a `wait` whose time is over.
  func ring(at now: ContinuousClock.Instant) { takeBell(dueAt: now)?.resume(returning: ()) }

  private func takeBell(dueAt now: ContinuousClock.Instant? = nil) -> Waiter<Void>? {
    state.withLock { state in
      guard let bell = state.bell, now.map({ bell.end <= $0 }) ?? true else { return nil }
      state.bell = nil
      return bell.waiter
    }
  }

  /// Lets in no more visits.
  func close() {
    let bell = state.withLock { state in
      state.isClosed = true
      return state.bell.take()?.waiter
    }
    bell?.resume(returning: ())
  }

  func contains(_ delivery: Delivery) -> Bool { state.withLock { $0.taken[delivery.receipt] != nil } }

  /// Ends a visit with an answer. Does nothing if it has ended.
  func answer(_ delivery: Delivery, _ response: Response) {
    state.withLock { $0.remove(delivery.receipt) }?.reply.resume(returning: response)
  }

  /// Ends a visit whose client has gone, and the work on it.
  /// - Returns: nil if the visit has already ended.
  func leave(_ visit: Visit) -> Waiter<Response>? {
    let visit = state.withLock { $0.remove(visit.delivery.receipt) }
    visit?.delivery.withdrawal?.begin()
    return visit?.reply
  }

  /// Ends visits that came before `time`, and the work on them. If `time` is nil, ends all that wait.
  func dismiss(arrivedBefore time: ContinuousClock.Instant?, _ response: Response) {
    let visits = state.withLock { state -> [Visit] in
      let late = (time == nil ? [] : Array(state.taken.values)) + state.waiting
      return late.filter { visit in time.map { visit.delivery.arrival < $0 } ?? true }
        .compactMap { state.remove($0.delivery.receipt) }
    }
    for visit in visits {
      visit.reply.resume(returning: response)
      visit.delivery.withdrawal?.begin()
    }
  }
}
