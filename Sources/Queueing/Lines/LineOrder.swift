internal import Synchronization

/// Lets settlements through in the order of the lines that they are for. Those that are ready one behind the other go together: the first
/// of them publishes all.
final class LineOrder: Sendable {
  enum Admission: Sendable {
    /// To publish all of these, for the lines of these numbers, and to `finish` then.
    case granted([Int], [Publication])
    /// Somebody else has published it.
    case settled
    case failed(QueueError)
    case lost, cancelled
  }

  /// Bytes of lines that go together: those of many small payloads.
  private static let maximumBatch = 65_536

  private struct Waiter {
    let publications: [Publication]
    let continuation: CheckedContinuation<Admission, Never>

    /// The lines that all of it goes to; nil for what also goes elsewhere, which goes alone: after a failure it would come twice.
    var target: LineQueue? { publications.count == 1 ? publications[0].target as? LineQueue : nil }
    var size: Int { publications.reduce(0) { $0 + $1.message.body.count } }
  }

  private typealias Resumption = (continuation: CheckedContinuation<Admission, Never>, admission: Admission)

  private struct State {
    /// Lines that are out, and how many bytes each holds.
    var sizes: [Int: Int] = [:]
    /// Sorted: the first is the one whose turn it is.
    var numbers: [Int] = []
    /// Those that have their turn already, and of these those who wait for the first to publish theirs.
    var current: [Int] = []
    var carried: [Int: CheckedContinuation<Admission, Never>] = [:]
    var waiting: [Int: Waiter] = [:]

    /// Whoever may go on now.
    mutating func next() -> Resumption? {
      guard current.isEmpty, let first = numbers.first, let leader = waiting.removeValue(forKey: first) else {
        return nil
      }
      current = [first]
      var publications = leader.publications
      var size = leader.size
      for number in numbers.dropFirst() {
        guard let target = leader.target, let waiter = waiting[number], waiter.target === target,
          size + waiter.size <= LineOrder.maximumBatch
        else { break }
        waiting[number] = nil
        size += waiter.size
        current.append(number)
        publications += waiter.publications
        carried[number] = waiter.continuation
      }
      return (leader.continuation, .granted(current, publications))
    }

    mutating func forget(_ number: Int) {
      sizes[number] = nil
      numbers.removeAll { $0 == number }
      current.removeAll { $0 == number }
    }
  }

  private let state = Mutex(State())

  /// Bytes of the lines that are out.
  var outstanding: Int { state.withLock { $0.sizes.values.reduce(0, +) } }

  /// The line `number`, of `size` bytes, is out from now on.
  func enter(_ number: Int, size: Int) {
    state.withLock { state in
      state.sizes[number] = size
      let index = state.numbers.firstIndex { $0 > number } ?? state.numbers.endIndex
      state.numbers.insert(number, at: index)
    }
  }

  /// The line `number` is not out any more, and those behind it need not wait for it.
  /// - Returns: false when it was not.
  @discardableResult
  func leave(_ number: Int) -> Bool {
    let (wasOut, next, own) = state.withLock { state in
      let wasOut = state.sizes[number] != nil
      state.forget(number)
      return (wasOut, state.next(), state.waiting.removeValue(forKey: number))
    }
    own?.continuation.resume(returning: .lost)
    next.map { $0.continuation.resume(returning: $0.admission) }
    return wasOut
  }

  /// Ends a turn: all of its lines are settled, or, after a failure, none of them. Each is to be settled later then, before those behind it.
  func finish(_ numbers: [Int], _ error: QueueError?) {
    let answers = state.withLock { state -> [Resumption] in
      let admission = error.map { Admission.failed($0) } ?? .settled
      let carried = numbers.compactMap { state.carried.removeValue(forKey: $0) }.map { ($0, admission) }
      if error == nil { for number in numbers { state.forget(number) } }
      state.current = []
      return carried + (state.next().map { [$0] } ?? [])
    }
    for answer in answers { answer.continuation.resume(returning: answer.admission) }
  }

  /// Waits until no line before `number` is out any more, or somebody has published its result together with theirs.
  /// - Returns: `lost` when it is not out itself, or somebody is settling it already.
  func admit(_ number: Int, publishing publications: [Publication]) async -> Admission {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (answer, next) = state.withLock { state -> (Admission?, Resumption?) in
          guard state.sizes[number] != nil, !state.current.contains(number), state.waiting[number] == nil
          else {
            return (.lost, nil)
          }
          if Task.isCancelled { return (.cancelled, nil) }
          state.waiting[number] = Waiter(publications: publications, continuation: continuation)
          return (nil, state.next())
        }
        if let answer { continuation.resume(returning: answer) }
        next.map { $0.continuation.resume(returning: $0.admission) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiting.removeValue(forKey: number) }
      waiter?.continuation.resume(returning: .cancelled)
    }
  }
}
