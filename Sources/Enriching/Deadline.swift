internal import Synchronization
package import Supporting

/// When a payload has to be out, even if a step is stuck. A task group would wait for that very
/// step. Here the operation is cancelled and left behind. What it holds is freed when it returns.
package struct Deadline: Sendable {
  /// The time that iOS gives an extension. No deadline is longer.
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
      // The alarm may be late on a busy machine. The result must not be.
      waiter.resume(returning: .now < end ? value : nil)
    }
    let giveUp = { @Sendable in
      // Answers first, so that a result of the cancelled work cannot win.
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

  /// Runs `operation` on the current task, and returns its result. If the deadline or a
  /// cancellation of `work` comes first, calls `giveUp` once, which goes on with the payload. The
  /// operation is left behind, and when it ends, this returns nil.
  /// - Parameters:
  ///   - work: the pooled operation that calls this. It is cancelled after `giveUp`.
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
    // The alarm may be late on a busy machine. The result must not be.
    if .now >= end { leaveBehind() }
    return claim.take() ? value : nil
  }
}

private final class Claim: Sendable {
  private let isTaken = Atomic(false)

  /// - Returns: whether this caller is the first.
  func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
