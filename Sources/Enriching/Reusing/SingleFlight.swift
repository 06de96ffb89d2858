internal import Supporting
internal import Synchronization

/// One fetch for all callers that want the same at the same time: the first one makes it, the others wait for
/// it.
///
/// A caller waits no longer than its own task: if that is cancelled, it leaves; if it was the one that
/// fetches, a caller that waits takes over.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// How a flight ended.
  enum Completion: Sendable {
    /// With a value for all callers.
    case shared(Value)
    /// With a value that is valid only for callers that joined before the flight started: the response was
    /// stale on arrival.
    case staleForLaterCallers(Value)
    case failed(Failure)
    /// With a value for nobody else.
    case unshareable
    /// Without a result: another caller has to try.
    case abandoned
  }

  /// What a caller is to do.
  enum Role: Sendable {
    /// Make the flight, and `complete` it under this number.
    case lead(flight: UInt64)
    case take(Value)
    case fail(Failure)
    /// Fetch it for itself.
    case fetchAlone
    /// Nothing: its task has been cancelled.
    case cancelled
  }

  private struct Flight {
    var number: UInt64
    /// Callers that joined before it started.
    var early: [Waiter<Role>] = []
    /// Callers that joined since.
    var late: [Waiter<Role>] = []
  }

  private struct State {
    var flights: [Key: Flight] = [:]
    var lastNumber: UInt64 = 0

    mutating func nextNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }
  }

  private let state = Mutex(State())

  /// - Parameter willWait: called before it waits.
  func join(_ key: Key, willWait: () -> Void) async -> Role {
    if let number = start(key) { return .lead(flight: number) }
    willWait()
    let waiter = Waiter<Role>()
    if let number = start(key, orElseAwaitedBy: waiter) { return .lead(flight: number) }
    return await waiter.wait(cancelled: .cancelled) { remove(waiter, of: key) }
  }

  /// Starts a flight. If there is one already, `waiter` waits for that.
  /// - Returns: the number of the flight; nil if there is one already.
  private func start(_ key: Key, orElseAwaitedBy waiter: Waiter<Role>? = nil) -> UInt64? {
    state.withLock { state in
      guard state.flights[key] == nil else {
        if let waiter { state.flights[key]?.late.append(waiter) }
        return nil
      }
      let number = state.nextNumber()
      state.flights[key] = Flight(number: number)
      return number
    }
  }

  /// Ends a flight for all callers that wait for it. Does nothing if another caller has taken it over.
  func complete(_ key: Key, flight number: UInt64, with completion: Completion) {
    let assigned = state.withLock { state -> [(Waiter<Role>, Role)] in
      guard let flight = state.flights[key], flight.number == number else { return [] }
      switch completion {
      case .shared(let value): return Self.end(flight, of: key, assigning: .take(value), &state)
      case .failed(let failure): return Self.end(flight, of: key, assigning: .fail(failure), &state)
      case .unshareable: return Self.end(flight, of: key, assigning: .fetchAlone, &state)
      case .staleForLaterCallers(let value):
        let next = Self.promote(flight.late, of: key, &state)
        return flight.early.map { ($0, .take(value)) } + next
      case .abandoned: return Self.promote(flight.early + flight.late, of: key, &state)
      }
    }
    for (waiter, role) in assigned { waiter.resume(returning: role) }
  }

  /// How many callers wait for a flight; nil if there is none.
  func waiterCount(of key: Key) -> Int? {
    state.withLock { state in state.flights[key].map { $0.early.count + $0.late.count } }
  }

  /// The number of a flight; nil if there is none.
  func flight(of key: Key) -> UInt64? { state.withLock { $0.flights[key]?.number } }

  private static func end(
    _ flight: Flight, of key: Key, assigning role: Role, _ state: inout State
  ) -> [(Waiter<Role>, Role)] {
    state.flights[key] = nil
    return (flight.early + flight.late).map { ($0, role) }
  }

  /// Starts the next flight, led by the last waiter: it has the most time left.
  private static func promote(
    _ waiters: [Waiter<Role>], of key: Key, _ state: inout State
  ) -> [(Waiter<Role>, Role)] {
    guard let leader = waiters.last else {
      state.flights[key] = nil
      return []
    }
    let number = state.nextNumber()
    state.flights[key] = Flight(number: number, early: waiters.dropLast())
    return [(leader, .lead(flight: number))]
  }

  /// - Returns: `waiter`; nil if it does not wait any more.
  private func remove(_ waiter: Waiter<Role>, of key: Key) -> Waiter<Role>? {
    state.withLock { state in
      guard var flight = state.flights.removeValue(forKey: key) else { return nil }
      defer { state.flights[key] = flight }
      if let index = flight.early.firstIndex(where: { $0 === waiter }) {
        return flight.early.remove(at: index)
      }
      return flight.late.firstIndex { $0 === waiter }.map { flight.late.remove(at: $0) }
    }
  }
}
