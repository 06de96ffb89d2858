internal import Supporting

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
  package func limit<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value?) async -> Value? {
    // Whether there is a result. The task keeps it: here it would lie in the frames of those that wait.
    let waiter = Waiter<Bool>()
    let work = Task {
      let value = await operation()
      // The alarm may be late on a busy machine; the result must not.
      waiter.resume(returning: .now < end)
      return value
    }
    let giveUp = { @Sendable in
      // Answer first: whatever the work returns because of its cancellation must not win.
      waiter.resume(returning: false)
      work.cancel()
    }
    let alarm = Alarm(at: end, giveUp)
    defer { alarm.switchOff() }
    let isDone = await waiter.wait(cancelled: false) {
      giveUp()
      return nil
    }
    return isDone ? await work.value : nil
  }
}
