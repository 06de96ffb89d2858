internal import Supporting
internal import Synchronization

/// Makes one fetch for all callers that want the same value at the same time. The first caller
/// fetches, and the others wait. A cancelled caller leaves. If it was fetching, a waiting caller
/// takes over.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  enum Completion: Sendable {
    case shared(Value)
    /// The response was stale on arrival. Only callers that waited before the flight began get it.
    case staleForLaterCallers(Value)
    case failed(Failure)
    /// The value may not be shared.
    case unshareable
    /// There is no result, so another caller has to try.
    case abandoned
  }

  /// What a caller has to do.
  enum Role: Sendable {
    /// Fetch the value, then call `complete` with this number.
    case lead(flight: UInt64)
    case take(Value)
    case fail(Failure)
    /// Fetch the value without sharing it.
    case fetchAlone
    /// Nothing, because its task has been cancelled.
    case cancelled
  }

  private struct Flight {
    let number: UInt64
    var waiters: [Waiter<Role>] = []
    /// How many of the waiters, counted from the first, waited before the flight began.
    var early = 0
  }

  private let state = Mutex((flights: [Key: Flight](), lastNumber: UInt64(0)))

  /// - Parameter willWait: called before waiting.
  func join(_ key: Key, willWait: () -> Void) async -> Role {
    if let number = start(key) { return .lead(flight: number) }
    willWait()
    let waiter = Waiter<Role>()
    if let number = start(key, orElseAwaitedBy: waiter) { return .lead(flight: number) }
    return await waiter.wait(cancelled: .cancelled) { remove(waiter, of: key) }
  }

  /// Starts a flight and returns its number, or adds `waiter` to a running flight and returns nil.
  private func start(_ key: Key, orElseAwaitedBy waiter: Waiter<Role>? = nil) -> UInt64? {
    state.withLock { state in
      guard state.flights[key] == nil else {
        if let waiter { state.flights[key]?.waiters.append(waiter) }
        return nil
      }
      state.lastNumber += 1
      state.flights[key] = Flight(number: state.lastNumber)
      return state.lastNumber
    }
  }

  /// Ends a flight and tells its waiters what to do. Does nothing if another caller has taken over.
  func complete(_ key: Key, flight number: UInt64, with completion: Completion) {
    let assigned = state.withLock { state -> [(waiter: Waiter<Role>, role: Role)] in
      guard let flight = state.flights[key], flight.number == number else { return [] }
      state.flights[key] = nil
      // The waiters that go on waiting, and the role of the others.
      let (rest, role): (ArraySlice<Waiter<Role>>, Role?) =
        switch completion {
        case .shared(let value): ([], .take(value))
        case .failed(let failure): ([], .fail(failure))
        case .unshareable: ([], .fetchAlone)
        case .staleForLaterCallers(let value): (flight.waiters.dropFirst(flight.early), .take(value))
        case .abandoned: (flight.waiters[...], nil)
        }
      var assigned = role.map { role in flight.waiters.dropLast(rest.count).map { ($0, role) } } ?? []
      // The last waiter leads the next flight, because it has the most time left.
      if let leader = rest.last {
        state.lastNumber += 1
        let waiters = Array(rest.dropLast())
        state.flights[key] = Flight(number: state.lastNumber, waiters: waiters, early: waiters.count)
        assigned.append((leader, .lead(flight: state.lastNumber)))
      }
      return assigned
    }
    for (waiter, role) in assigned { waiter.resume(returning: role) }
  }

  func waiterCount(of key: Key) -> Int? { state.withLock { $0.flights[key]?.waiters.count } }
  func flight(of key: Key) -> UInt64? { state.withLock { $0.flights[key]?.number } }

  /// Returns `waiter`, or nil if it no longer waits.
  private func remove(_ waiter: Waiter<Role>, of key: Key) -> Waiter<Role>? {
    state.withLock { state in
      guard let index = state.flights[key]?.waiters.firstIndex(where: { $0 === waiter }) else { return nil }
      if index < state.flights[key]?.early ?? 0 { state.flights[key]?.early -= 1 }
      return state.flights[key]?.waiters.remove(at: index)
    }
  }
}
