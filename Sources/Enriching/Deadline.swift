internal import Synchronization

/// When a payload has to be out, whatever is under way then.
package struct Deadline: Sendable {
  /// What iOS gives an extension; no deadline is longer.
  package static let maximum = Duration.seconds(30)

  package let start: ContinuousClock.Instant
  package let end: ContinuousClock.Instant

  package init(_ limit: Duration, from start: ContinuousClock.Instant = .now) {
    self.start = start
    end = start + min(limit, Self.maximum)
  }

  /// What `operation` returns, or nil at the deadline, whichever is first.
  ///
  /// Not a task group: that waits for its children, and so for the very step that is stuck. Here the
  /// operation is cancelled and left behind; what it holds is freed whenever it returns.
  package func limit<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async -> Value? {
    await race(operation)
  }

  /// The same for an operation that may return nil.
  package func limit<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value?) async -> Value? {
    await race(operation) ?? nil
  }

  private func race<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async -> Value? {
    let race = Race<Value>()
    return await withCheckedContinuation { continuation in
      race.start(continuation)
      let work = Task {
        let value = await operation()
        // The alarm may be late on a busy machine; the result must not.
        race.settle(.now < end ? value : nil)
      }
      let alarm = Alarm(at: end) {
        // Settle first: whatever the work returns because of its cancellation must not win.
        race.settle(nil)
        work.cancel()
      }
      race.onSettled { alarm.switchOff() }
    }
  }
}

/// A continuation that is resumed once, by the first caller of `settle`.
private final class Race<Value: Sendable>: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Value?, Never>?
    var isSettled = false
    var onSettled: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  func start(_ continuation: CheckedContinuation<Value?, Never>) {
    state.withLock { $0.continuation = continuation }
  }

  func settle(_ value: Value?) {
    let (continuation, action) = state.withLock { state in
      defer { state = State(isSettled: true) }
      return (state.continuation, state.onSettled)
    }
    continuation?.resume(returning: value)
    action?()
  }

  /// Calls `action` once it is settled: at once if it is already.
  func onSettled(_ action: @escaping @Sendable () -> Void) {
    let isSettled = state.withLock { state in
      if !state.isSettled { state.onSettled = action }
      return state.isSettled
    }
    if isSettled { action() }
  }
}
