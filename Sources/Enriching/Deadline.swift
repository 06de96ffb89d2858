internal import Synchronization
package import Supporting

/// When a payload has to be out, whatever is under way then.
///
/// Neither way to keep it is a task group: that waits for its children, and so for the very step that
/// is stuck. Here the operation is cancelled and left behind; what it holds is freed whenever it returns.
package struct Deadline: Sendable {
  /// What iOS gives an extension; no deadline is longer.
  package static let maximum = Duration.seconds(30)

  package let start: ContinuousClock.Instant
  package let end: ContinuousClock.Instant

  package init(_ limit: Duration, from start: ContinuousClock.Instant = .now) {
    self.start = start
    end = start + min(limit, Self.maximum)
  }

  /// What `operation` returns; nil at the deadline, or when the task is cancelled, if that is first.
  package func limit<Value: Sendable>(
    _ operation: @escaping @Sendable () async -> Value?
  ) async -> Value? {
    // An object: the value itself would lie in the frames of those that wait.
    let waiter = Waiter<Answer<Value>?>()
    let work = Task {
      let value = await operation()
      // The alarm may be late on a busy machine; the result must not.
      waiter.resume(returning: .now < end ? Answer(value) : nil)
    }
    let giveUp = { @Sendable in
      // Answer first: whatever the work returns because of its cancellation must not win.
      waiter.resume(returning: nil)
      work.cancel()
    }
    let alarm = Alarm(at: end, giveUp)
    defer { alarm.switchOff() }
    let answer = await waiter.wait(cancelled: nil) {
      giveUp()
      return nil
    }
    return answer?.value
  }

  /// What `operation` returns, without a task of its own, as most of them are done in time. At the deadline, or
  /// when `work` is cancelled, if that is first, `giveUp` is called, once: somebody else goes on then, and the
  /// operation is left behind, with nil for whoever waits for it.
  ///
  /// - Parameters:
  ///   - work: on whose task this is called. It is cancelled when it is given up.
  ///   - giveUp: must not block. It may be called on any thread.
  package func limit<Value>(
    as work: PooledOperation, _ operation: () async -> Value, orElse giveUp: @escaping @Sendable () -> Void
  ) async -> Value? {
    let claim = Claim()
    let leaveBehind = { @Sendable in
      guard claim.take() else { return }
      giveUp()
      work.cancel()
    }
    let alarm = Alarm(at: end, leaveBehind)
    let value = await withTaskCancellationHandler(operation: operation, onCancel: leaveBehind)
    alarm.switchOff()
    // The alarm may be late on a busy machine; the result must not.
    if .now >= end { leaveBehind() }
    return claim.take() ? value : nil
  }
}

private final class Answer<Value: Sendable>: Sendable {
  let value: Value?

  init(_ value: Value?) { self.value = value }
}

/// To go on, which only one may do.
private final class Claim: Sendable {
  private let isTaken = Atomic(false)

  /// - Returns: whether it is the caller's.
  func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
