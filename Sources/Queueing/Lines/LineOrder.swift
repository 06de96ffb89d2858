internal import Supporting
internal import Synchronization

/// Admits settlements in the order of their lines. The first of adjacent ready lines publishes all.
final class LineOrder: Sendable {
  enum Admission: Sendable {
    /// Publish the whole batch, then call `finish`.
    case granted(Batch)
    /// An earlier line has published this one, or tried to.
    case answered(Result<SendResult, QueueError>)
    /// The line is no longer handed out, or is already being settled.
    case lost
    case cancelled
  }

  /// Settlements that are published together.
  struct Batch: Sendable {
    fileprivate(set) var numbers: [Int]
    fileprivate(set) var publications: [Publication]
    /// All except the first, which publishes for them.
    fileprivate var carried: [Waiter<Admission>] = []
  }

  /// The maximum size of a batch in bytes: many small payloads.
  private static let maximumBatch = 65_536

  private struct Settlement {
    let publications: [Publication]
    let waiter: Waiter<Admission>

    /// Nil unless there is a single publication whose target is lines. Other settlements are not
    /// grouped, because a retry would publish them twice.
    var target: LineQueue? { publications.count == 1 ? publications[0].target as? LineQueue : nil }
    var size: Int { publications.reduce(0) { $0 + $1.message.size } }
  }

  private struct State {
    /// Lines that are handed out, sorted. The first is settled next. A slice, because nothing is moved when its
    /// first element is removed.
    var numbers: ArraySlice<Int> = []
    /// Lines that are being settled now.
    var current: [Int] = []
    var waiting: [Int: Settlement] = [:]

    /// The next batch, if it is ready and no other is being settled.
    mutating func next() -> (Waiter<Admission>, Batch)? {
      guard current.isEmpty, let first = numbers.first, let leader = waiting.removeValue(forKey: first) else {
        return nil
      }
      var batch = Batch(numbers: [first], publications: leader.publications)
      var size = leader.size
      for number in numbers.dropFirst() {
        guard let target = leader.target, let other = waiting[number], other.target === target,
          size + other.size <= LineOrder.maximumBatch
        else { break }
        waiting[number] = nil
        size += other.size
        batch.numbers.append(number)
        batch.publications += other.publications
        batch.carried.append(other.waiter)
      }
      current = batch.numbers
      return (leader.waiter, batch)
    }
  }

  private let state = Mutex(State())

  /// Notes that the line `number` was handed out.
  func enter(_ number: Int) {
    state.withLock { state in
      if state.numbers.last.map({ $0 < number }) ?? true { return state.numbers.append(number) }
      let index = state.numbers.firstIndex { $0 > number } ?? state.numbers.endIndex
      state.numbers.insert(number, at: index)
    }
  }

  /// Notes that the line `number` was given back, so later lines need not wait for it. Returns
  /// false if it was not handed out.
  func leave(_ number: Int) -> Bool {
    let (wasOut, own) = state.withLock { state in
      let wasOut = state.numbers.contains(number)
      state.numbers.removeAll { $0 == number }
      state.current.removeAll { $0 == number }
      return (wasOut, state.waiting.removeValue(forKey: number))
    }
    own?.waiter.resume(returning: .lost)
    admitNext()
    return wasOut
  }

  /// Ends an admission. Unless `sent`, each of its lines must be settled again before later lines.
  func finish(_ batch: Batch, _ result: Result<SendResult, QueueError>) {
    state.withLock { state in
      if case .success(.sent) = result {
        // Mostly these are the first ones. An earlier line may have been given back, and handed out again.
        if state.numbers.starts(with: batch.numbers) {
          state.numbers.removeFirst(batch.numbers.count)
        } else {
          state.numbers.removeAll { batch.numbers.contains($0) }
        }
      }
      state.current = []
    }
    admitNext()
    for waiter in batch.carried { waiter.resume(returning: .answered(result)) }
  }

  /// Settles a line for which nothing is published, if no earlier line is out. Returns false if it has to wait.
  func pass(_ number: Int) -> Bool {
    let isFirst = state.withLock { state in
      guard state.current.isEmpty, state.numbers.first == number, state.waiting[number] == nil else {
        return false
      }
      state.numbers.removeFirst()
      return true
    }
    if isFirst { admitNext() }
    return isFirst
  }

  /// Waits until no earlier line is out, or until an earlier line has published this one too.
  func admit(_ number: Int, publishing publications: [Publication]) async -> Admission {
    let waiter = Waiter<Admission>()
    let settlement = Settlement(publications: publications, waiter: waiter)
    if let refusal = add(settlement, for: number) { return refusal }
    return await waiter.wait(cancelled: .cancelled) {
      state.withLock { $0.waiting.removeValue(forKey: number)?.waiter }
    }
  }

  /// Adds a waiting settlement, then admits the next one, which may be the same.
  @inline(never)  // see `TaskPool`
  private func add(_ settlement: Settlement, for number: Int) -> Admission? {
    let refusal: Admission? = state.withLock { state in
      let isOut = state.numbers.contains(number) && !state.current.contains(number)
      guard isOut, state.waiting[number] == nil else { return .lost }
      if Task.isCancelled { return .cancelled }
      state.waiting[number] = settlement
      return nil
    }
    if refusal == nil { admitNext() }
    return refusal
  }

  private func admitNext() {
    if let (waiter, batch) = state.withLock({ $0.next() }) { waiter.resume(returning: .granted(batch)) }
  }
}
