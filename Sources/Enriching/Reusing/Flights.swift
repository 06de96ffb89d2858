internal import Synchronization

/// One fetch for all who want the same at the same time: the first of them makes it, the others wait for what comes of it.
///
/// Nobody waits longer than their own task: whoever is cancelled leaves, and one who is cancelled in the middle of it hands over to one of
/// those who wait.
final class Flights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// What comes of a flight for those who wait for it.
  enum Landing: Sendable {
    /// For all.
    case shared(Value)
    /// For those who came before it took off. It says nothing of the time after that.
    case past(Value)
    case failed(Failure)
    /// For nobody else.
    case own
    /// Nothing: somebody else has to try.
    case abandoned
  }

  /// What somebody is to do.
  enum Turn: Sendable {
    /// Make the flight, and `land` it under this number.
    case lead(number: UInt64)
    case take(Value)
    case fail(Failure)
    /// Fetch it for themselves.
    case own
    /// Nothing: their task has been cancelled.
    case cancelled
  }

  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<Turn, Never>
  }

  private struct Flight {
    var number: UInt64
    /// Who came before it took off, and who came later.
    var early: [Waiter] = []
    var late: [Waiter] = []
  }

  private struct State {
    var flights: [Key: Flight] = [:]
    var lastNumber: UInt64 = 0

    mutating func number() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }
  }

  private let state = Mutex(State())

  /// - Parameter willWait: called before it waits.
  func join(_ key: Key, willWait: () -> Void) async -> Turn {
    let (own, isFirst) = state.withLock { state in
      let number = state.number()
      guard state.flights[key] == nil else { return (number, false) }
      state.flights[key] = Flight(number: number)
      return (number, true)
    }
    if isFirst { return .lead(number: own) }
    willWait()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let turn = state.withLock { state -> Turn? in
          if Task.isCancelled { return .cancelled }
          guard state.flights[key] != nil else {
            // It has landed meanwhile.
            state.flights[key] = Flight(number: own)
            return .lead(number: own)
          }
          state.flights[key]?.late.append(Waiter(id: own, continuation: continuation))
          return nil
        }
        if let turn { continuation.resume(returning: turn) }
      }
    } onCancel: {
      leave(key, own)
    }
  }

  /// Ends a flight for all who wait for it. One that has been handed over is somebody else's to end: nothing happens then.
  func land(_ key: Key, number: UInt64, _ landing: Landing) {
    let answers = state.withLock { state -> [(Waiter, Turn)] in
      guard let flight = state.flights[key], flight.number == number else { return [] }
      switch landing {
      case .shared(let value): return Self.end(flight, of: key, &state, .take(value))
      case .failed(let failure): return Self.end(flight, of: key, &state, .fail(failure))
      case .own: return Self.end(flight, of: key, &state, .own)
      case .past(let value):
        let next = Self.takeOff(flight.late, of: key, &state)
        return flight.early.map { ($0, .take(value)) } + next
      case .abandoned: return Self.takeOff(flight.early + flight.late, of: key, &state)
      }
    }
    for (waiter, turn) in answers { waiter.continuation.resume(returning: turn) }
  }

  /// How many wait for a flight; nil where there is none.
  func waiting(for key: Key) -> Int? {
    state.withLock { state in state.flights[key].map { $0.early.count + $0.late.count } }
  }

  /// The number of a flight; nil where there is none.
  func number(of key: Key) -> UInt64? { state.withLock { $0.flights[key]?.number } }

  private static func end(_ flight: Flight, of key: Key, _ state: inout State, _ turn: Turn) -> [(
    Waiter, Turn
  )] {
    state.flights[key] = nil
    return (flight.early + flight.late).map { ($0, turn) }
  }

  /// The next flight, led by whoever came last: they have the most time left.
  private static func takeOff(_ waiters: [Waiter], of key: Key, _ state: inout State) -> [(Waiter, Turn)] {
    guard let leader = waiters.last else {
      state.flights[key] = nil
      return []
    }
    let number = state.number()
    state.flights[key] = Flight(number: number, early: waiters.dropLast())
    return [(leader, .lead(number: number))]
  }

  private func leave(_ key: Key, _ id: UInt64) {
    let waiter = state.withLock { state -> Waiter? in
      guard var flight = state.flights.removeValue(forKey: key) else { return nil }
      defer { state.flights[key] = flight }
      if let place = flight.early.firstIndex(where: { $0.id == id }) { return flight.early.remove(at: place) }
      if let place = flight.late.firstIndex(where: { $0.id == id }) { return flight.late.remove(at: place) }
      return nil
    }
    waiter?.continuation.resume(returning: .cancelled)
  }
}
