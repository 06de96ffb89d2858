internal import Dispatch
internal import Synchronization

/// Calls a function once at a given time, unless it is switched off before. From then on it takes no memory.
///
/// A sleeping task would hold its memory until its time is over, even if it is cancelled: at a thousand
/// payloads a second, 30 s of that are 20 MB.
final class Alarm: Sendable {
  private static let clock = AlarmClock()

  private let number: UInt64

  /// - Parameter action: called on a queue that all alarms share: it must not block.
  init(at time: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
    number = Self.clock.set(time, action)
  }

  /// Prevents the call, unless it has already begun.
  func switchOff() { Self.clock.remove(number) }
}

/// One timer for all alarms. Nearly all are switched off long before their time, and setting a kernel timer
/// takes as long as everything else that a payload without a download takes.
private final class AlarmClock: Sendable {
  /// A structure: as an element of a tuple, generic code would have the action wrapped on the heap.
  private struct Entry {
    let time: ContinuousClock.Instant
    let action: @Sendable () -> Void
  }

  private struct State {
    var alarms: [UInt64: Entry] = [:]
    var lastNumber: UInt64 = 0
    /// When the timer fires: never later than the first alarm; nil if it is not set.
    var next: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let timer: Mutex<any DispatchSourceTimer>

  init() {
    timer = Mutex(DispatchSource.makeTimerSource(queue: DispatchQueue(label: "push-enricher.alarms")))
    timer.withLock { timer in
      timer.setEventHandler { [weak self] in self?.ring() }
      timer.schedule(deadline: .distantFuture)
      timer.activate()
    }
  }

  func set(_ time: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) -> UInt64 {
    state.withLock { state in
      state.lastNumber += 1
      state.alarms[state.lastNumber] = Entry(time: time, action: action)
      if state.next.map({ time < $0 }) ?? true { wind(to: time, &state) }
      return state.lastNumber
    }
  }

  func remove(_ number: UInt64) {
    // Freed once the lock is released, with all that it holds.
    _ = state.withLock { $0.alarms.removeValue(forKey: number) }
  }

  private func ring() {
    let due = state.withLock { state in
      let now = ContinuousClock.now
      let due = state.alarms.filter { $0.value.time <= now }
      for number in due.keys { state.alarms[number] = nil }
      state.next = nil
      if let first = state.alarms.values.lazy.map(\.time).min() { wind(to: first, &state) }
      return Array(due.values)
    }
    for alarm in due { alarm.action() }
  }

  private func wind(to time: ContinuousClock.Instant, _ state: inout State) {
    state.next = time
    let rest = max(.zero, ContinuousClock.now.duration(to: time))
    timer.withLock {
      $0.schedule(deadline: .now() + .nanoseconds(rest.nanoseconds), leeway: .milliseconds(1))
    }
  }
}

extension Duration {
  /// Whole nanoseconds, rounded down; `Int.max` for what is longer.
  fileprivate var nanoseconds: Int {
    let (whole, overflow) = Int(components.seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : whole + Int(components.attoseconds / 1_000_000_000)
  }
}
