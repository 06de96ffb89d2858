internal import Synchronization

/// Lets settlements through in the order of the lines that they are for.
final class LineOrder: Sendable {
  enum Turn { case granted, lost, cancelled }

  private struct State {
    /// Lines that are out, and how many bytes each holds.
    var sizes: [Int: Int] = [:]
    /// Sorted: the first is the one whose turn it is.
    var numbers: [Int] = []
    /// The one that has its turn already.
    var current: Int?
    var waiting: [Int: CheckedContinuation<Turn, Never>] = [:]

    /// Whoever may go on now.
    mutating func next() -> CheckedContinuation<Turn, Never>? {
      guard current == nil, let first = numbers.first, let next = waiting.removeValue(forKey: first) else {
        return nil
      }
      current = first
      return next
    }
  }

  private let state = Mutex(State())

  /// Bytes of the lines that are out.
  var outstanding: Int { state.withLock { $0.sizes.values.reduce(0, +) } }

  /// The line `number`, of `size` bytes, is out from now on.
  func enter(_ number: Int, size: Int) {
    state.withLock { state in
      state.sizes[number] = size
      let place = state.numbers.firstIndex { $0 > number } ?? state.numbers.endIndex
      state.numbers.insert(number, at: place)
    }
  }

  /// The line `number` is not out any more, and those behind it need not wait for it.
  /// - Returns: false when it was not.
  @discardableResult
  func leave(_ number: Int) -> Bool {
    let (wasOut, next, own) = state.withLock { state in
      let wasOut = state.sizes.removeValue(forKey: number) != nil
      state.numbers.removeAll { $0 == number }
      if state.current == number { state.current = nil }
      return (wasOut, state.next(), state.waiting.removeValue(forKey: number))
    }
    own?.resume(returning: .lost)
    next?.resume(returning: .granted)
    return wasOut
  }

  /// Gives the turn back: `number` is to be settled later, and before those behind it.
  func retreat(_ number: Int) {
    let next = state.withLock { state in
      if state.current == number { state.current = nil }
      return state.next()
    }
    next?.resume(returning: .granted)
  }

  /// Waits until no line before `number` is out any more.
  /// - Returns: `lost` when it is not out itself, or somebody is settling it already.
  func turn(of number: Int) async -> Turn {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (answer, next) = state.withLock { state -> (Turn?, CheckedContinuation<Turn, Never>?) in
          guard state.sizes[number] != nil, state.current != number, state.waiting[number] == nil else {
            return (.lost, nil)
          }
          if Task.isCancelled { return (.cancelled, nil) }
          state.waiting[number] = continuation
          return (nil, state.next())
        }
        if let answer { continuation.resume(returning: answer) }
        next?.resume(returning: .granted)
      }
    } onCancel: {
      let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
      waiting?.resume(returning: .cancelled)
    }
  }
}
