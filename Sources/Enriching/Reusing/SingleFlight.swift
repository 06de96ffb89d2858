internal import Synchronization

/// One fetch for all callers that want the same at the same time: the first one makes it, the others wait for it.
///
/// A caller waits no longer than its own task: if that is cancelled, it leaves; if it was the one that fetches, a
/// caller that waits takes over.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// How a flight ended.
  enum Completion: Sendable {
    /// With a value for all callers.
    case shared(Value)
    /// With a value that is valid only for callers that joined before the flight started: the response was stale on
    /// arrival.
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

  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<Role, Never>
  }

  private struct Flight {
    var number: UInt64
    /// Callers that joined before it started.
    var early: [Waiter] = []
    /// Callers that joined since.
    var late: [Waiter] = []
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
    let (own, isFirst) = state.withLock { state in
      let number = state.nextNumber()
      guard state.flights[key] == nil else { return (number, false) }
      state.flights[key] = Flight(number: number)
      return (number, true)
    }
    if isFirst { return .lead(flight: own) }
    willWait()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let role = state.withLock { state -> Role? in
          if Task.isCancelled { return .cancelled }
          guard state.flights[key] != nil else {
            // It was completed meanwhile.
            state.flights[key] = Flight(number: own)
            return .lead(flight: own)
          }
          state.flights[key]?.late.append(Waiter(id: own, continuation: continuation))
          return nil
        }
        if let role { continuation.resume(returning: role) }
      }
    } onCancel: {
      removeWaiter(own, of: key)
    }
  }

  /// Ends a flight for all callers that wait for it. Does nothing if another caller has taken it over.
  func complete(_ key: Key, flight number: UInt64, with completion: Completion) {
    let assigned = state.withLock { state -> [(Waiter, Role)] in
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
    for (waiter, role) in assigned { waiter.continuation.resume(returning: role) }
  }

  /// How many callers wait for a flight; nil if there is none.
  func waiterCount(of key: Key) -> Int? {
    state.withLock { state in state.flights[key].map { $0.early.count + $0.late.count } }
  }

  /// The number of a flight; nil if there is none.
  func flight(of key: Key) -> UInt64? { state.withLock { $0.flights[key]?.number } }

  private static func end(
    _ flight: Flight, of key: Key, assigning role: Role, _ state: inout State
  ) -> [(Waiter, Role)] {
    state.flights[key] = nil
    return (flight.early + flight.late).map { ($0, role) }
  }

  /// Starts the next flight, led by the last waiter: it has the most time left.
  private static func promote(_ waiters: [Waiter], of key: Key, _ state: inout State) -> [(Waiter, Role)] {
    guard let leader = waiters.last else {
      state.flights[key] = nil
      return []
    }
    let number = state.nextNumber()
    state.flights[key] = Flight(number: number, early: waiters.dropLast())
    return [(leader, .lead(flight: number))]
  }

  private func removeWaiter(_ id: UInt64, of key: Key) {
    let waiter = state.withLock { state -> Waiter? in
      guard var flight = state.flights.removeValue(forKey: key) else { return nil }
      defer { state.flights[key] = flight }
      if let index = flight.early.firstIndex(where: { $0.id == id }) { return flight.early.remove(at: index) }
      if let index = flight.late.firstIndex(where: { $0.id == id }) { return flight.late.remove(at: index) }
      return nil
    }
    waiter?.continuation.resume(returning: .cancelled)
  }
}
