package import Supporting

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

  /// What `operation` returns; nil at the deadline, or when the task is cancelled, if that is first.
  ///
  /// Not a task group: that waits for its children, and so for the very step that is stuck. Here the
  /// operation is cancelled and left behind; what it holds is freed whenever it returns.
  /// - Parameter pool: whose tasks it runs on; nil for one of its own.
  package func limit<Value: Sendable>(
    on pool: TaskPool? = nil, _ operation: @escaping @Sendable () async -> Value?
  ) async -> Value? {
    // An object: the value itself would lie in the frames of those that wait.
    let waiter = Waiter<Answer<Value>?>()
    let work = (pool ?? TaskPool(keeping: 0)).run {
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
}

private final class Answer<Value: Sendable>: Sendable {
  let value: Value?

  init(_ value: Value?) { self.value = value }
}
