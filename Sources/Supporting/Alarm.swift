internal import Dispatch
internal import Synchronization

/// Calls a function once at a given time, unless it is switched off first. A sleeping task would
/// keep its memory until then, even if it were cancelled: 20 MB at a thousand payloads a second.
package final class Alarm: Sendable {
  private static let clock = AlarmClock()

  private let number: UInt64

  /// - Parameter action: called on a queue that all alarms share, so it must not block.
  package init(at time: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
    number = Self.clock.set(time, action)
  }

  /// Prevents the call, unless it has already begun.
  package func switchOff() { Self.clock.remove(number) }
}

/// One timer for all alarms. Nearly all alarms are switched off long before their time, and setting
/// a kernel timer takes as long as all other work for a payload without a download.
private final class AlarmClock: Sendable {
  /// A structure, because generic code would wrap the action on the heap if this were a tuple.
  private struct Entry {
    let time: ContinuousClock.Instant
    let action: @Sendable () -> Void
  }

  private struct State {
    var alarms: [UInt64: Entry] = [:]
    var lastNumber: UInt64 = 0
    /// When the timer fires, never later than the first alarm. Nil if it is not set.
    var next: ContinuousClock.Instant?
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "push-enricher.alarms"))
  }

  private let state = Mutex(State())

  init() {
    state.withLock { state in
      state.timer.setEventHandler { [weak self] in self?.ring() }
      state.timer.schedule(deadline: .distantFuture)
      state.timer.activate()
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
    // The entry and all that it holds are freed after the lock is released.
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
    state.timer.schedule(deadline: .now() + .microseconds(rest.microseconds), leeway: .milliseconds(1))
  }
}
