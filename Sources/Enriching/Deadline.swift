internal import Synchronization
package import Supporting

/// When a payload has to be out, whatever is under way then. A task group would wait for the very step that
/// is stuck. Here the operation is cancelled and left behind; what it holds is freed whenever it returns.
package struct Deadline: Sendable {
  /// What iOS gives an extension; no deadline is longer.
  package static let maximum = Duration.seconds(30)

  package let end: ContinuousClock.Instant

  package init(_ limit: Duration, from start: ContinuousClock.Instant = .now) {
    end = start + min(limit, Self.maximum)
  }

  /// The result of `operation`, or nil if the deadline or a cancellation comes first.
  package func limit<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value?) async -> Value? {
    let waiter = Waiter<Value?>()
    let work = Task {
      let value = await operation()
      // The alarm may be late on a busy machine; the result must not.
      waiter.resume(returning: .now < end ? value : nil)
    }
    let giveUp = { @Sendable in
      // Answer first: whatever the work returns because of its cancellation must not win.
      waiter.resume(returning: nil)
      work.cancel()
    }
    let alarm = Alarm(at: end, giveUp)
    defer { alarm.switchOff() }
    return await waiter.wait(cancelled: nil) {
      giveUp()
      return nil
    }
  }

  /// The result of `operation`, without a task of its own. If the deadline, or a cancellation of `work`, is
  /// first, returns nil, and calls `giveUp`, once: somebody else goes on, and the operation is left behind.
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

private final class Claim: Sendable {
  private let isTaken = Atomic(false)

  /// - Returns: whether it is the caller's.
  func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
