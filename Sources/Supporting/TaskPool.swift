internal import Synchronization

/// Runs operations like `Task { }` does, on tasks that are used again.
package final class TaskPool: Sendable {
  private let lanes: Lanes<PooledTask>

  /// - Parameter maximum: as with `Lanes`.
  package init(keeping maximum: Int) { lanes = Lanes(keeping: maximum) }

  deinit { lanes.close() }

  /// Begins `operation`, which runs to its end, be it waited for or not.
  package func run(_ operation: @escaping @Sendable () async -> Void) -> PooledTask {
    let work = PooledTask(operation)
    guard !lanes.give(work) else { return work }
    let lane = Lane()
    lane.begin { [lanes] in
      while let work = await lanes.next() {
        // A task that was cancelled stays so.
        guard await work.run(on: lane) else { return }
      }
    }
    return work
  }
}

/// An operation on a task of a `TaskPool`.
package final class PooledTask: Sendable {
  private struct State {
    /// While it runs.
    var lane: Lane?
    var isCancelled = false
  }

  private let operation: @Sendable () async -> Void
  private let state = Mutex(State())

  fileprivate init(_ operation: @escaping @Sendable () async -> Void) { self.operation = operation }

  /// Cancels the operation, as `Task.cancel` would. Does nothing once it has ended.
  package func cancel() {
    let lane = state.withLock { state in
      state.isCancelled = true
      return state.lane
    }
    // It has not got another job meanwhile: it ends, because this one is cancelled.
    lane?.cancel()
  }

  /// - Returns: whether `lane` may run another one.
  fileprivate func run(on lane: Lane) async -> Bool {
    let wasCancelled = state.withLock { state in
      state.lane = lane
      return state.isCancelled
    }
    if wasCancelled { lane.cancel() }
    await operation()
    return state.withLock { state in
      state.lane = nil
      return !state.isCancelled
    }
  }
}

/// A task of a pool.
private final class Lane: Sendable {
  private let task = Mutex<Task<Void, Never>?>(nil)

  func begin(_ operation: @escaping @Sendable () async -> Void) {
    // Whoever runs at once and wants to cancel it waits until it is here.
    task.withLock { $0 = Task { await operation() } }
  }

  func cancel() { task.withLock { $0 }?.cancel() }
}
