internal import Synchronization

/// Runs operations on tasks that are used again. Unlike with `Task { }`, there is no result to wait for, and the
/// priority and the task-local values are those of whoever began the task.
package final class TaskPool: Sendable {
  private let lanes: Lanes<PooledOperation>

  /// - Parameter maximum: as with `Lanes`.
  package init(keeping maximum: Int) { lanes = Lanes(keeping: maximum) }

  deinit { lanes.close() }

  /// Begins `operation`, which runs to its end, whoever forgets it.
  package func run(_ operation: @escaping @Sendable () async -> Void) -> PooledOperation {
    let work = PooledOperation(operation)
    guard !lanes.give(work) else { return work }
    let task = PooledTask()
    task.begin { [lanes] in
      while let work = await lanes.next() {
        // A task that was cancelled stays so.
        guard await work.run(on: task) else { return }
      }
    }
    return work
  }
}

/// An operation on a task of a `TaskPool`.
package final class PooledOperation: Sendable {
  private struct State {
    /// Until it begins: whoever can still cancel it keeps nothing of it.
    var operation: (@Sendable () async -> Void)?
    /// The task that it runs on.
    var task: PooledTask?
    var isCancelled = false
  }

  private let state: Mutex<State>

  fileprivate init(_ operation: @escaping @Sendable () async -> Void) {
    state = Mutex(State(operation: operation))
  }

  /// Cancels the operation, as `Task.cancel` would. Does nothing once it has ended.
  package func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    // It has not got another operation meanwhile: it ends, because this one is cancelled.
    task?.cancel()
  }

  /// - Returns: whether `task` may run another one.
  fileprivate func run(on task: PooledTask) async -> Bool {
    let (operation, wasCancelled) = state.withLock { state in
      state.task = task
      return (state.operation.take(), state.isCancelled)
    }
    if wasCancelled { task.cancel() }
    await operation?()
    return state.withLock { state in
      state.task = nil
      return !state.isCancelled
    }
  }
}

/// A task of a pool.
private final class PooledTask: Sendable {
  private let task = Mutex<Task<Void, Never>?>(nil)

  func begin(_ operation: @escaping @Sendable () async -> Void) {
    // Whoever runs at once and wants to cancel it waits until it is here.
    task.withLock { $0 = Task { await operation() } }
  }

  func cancel() { task.withLock { $0 }?.cancel() }
}
