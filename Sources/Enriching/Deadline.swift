internal import Synchronization
package import Supporting

/// When a payload has to be out, whatever is under way then.
///
/// Neither of both ways to keep it is a task group: that waits for its children, and so for the very step that
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

  /// Runs `operation`, and then `conclude` with what it has returned. At the deadline, or when the task is
  /// cancelled, if that is first, `conclude` is run with nil instead, on another task of `pool`. It is run once.
  ///
  /// Against `limit`, nearly all operations go without a task beside the one that waits for them.
  /// - Parameter work: on whose task this is called, with nothing behind it.
  package func limit<Value: Sendable>(
    _ work: PooledOperation, of pool: TaskPool, _ operation: () async -> Value?,
    then conclude: @escaping @Sendable (Value?) async -> Void
  ) async {
    let conclusion = Claim()
    let giveUp = { @Sendable in
      guard conclusion.take() else { return }
      pool.run { _ in await conclude(nil) }
      work.cancel()
    }
    let alarm = Alarm(at: end, giveUp)
    let value = await withTaskCancellationHandler(operation: operation, onCancel: giveUp)
    alarm.switchOff()
    guard conclusion.take() else { return }
    await conclude(.now < end ? value : nil)
  }
}

private final class Answer<Value: Sendable>: Sendable {
  let value: Value?

  init(_ value: Value?) { self.value = value }
}

/// To something that only one may do.
private final class Claim: Sendable {
  private let isTaken = Atomic(false)

  /// - Returns: whether the caller may do it.
  func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
