internal import Synchronization

/// Runs operations on tasks that are used again. Unlike with `Task { }`, there is no result to wait for, and the
/// priority and the task-local values are those of whoever began the task.
package final class TaskPool: Sendable {
  private let lanes: Lanes<PooledOperation>
  private let tasks = PooledTasks()

  /// - Parameter maximum: as with `Lanes`.
  package init(keeping maximum: Int) { lanes = Lanes(keeping: maximum) }

  deinit { lanes.close() }

  /// Begins `operation`, which runs to its end, whoever forgets it. It is handed what cancels it.
  @discardableResult
  package func run(_ operation: @escaping @Sendable (PooledOperation) async -> Void) -> PooledOperation {
    let work = PooledOperation(operation)
    guard !lanes.give(work) else { return work }
    let task = PooledTask()
    tasks.add(task)
    task.begin { [lanes, tasks] in
      while let work = await lanes.next() {
        // It may get what another has left as it was cancelled, before it is cancelled itself.
        if tasks.areCancelled { task.cancel() }
        // A task that was cancelled stays so.
        guard await work.run(on: task) else { break }
      }
      tasks.remove(task)
    }
    return work
  }

  /// Cancels all operations that have not ended, and all that are begun from now on.
  package func cancelAll() { tasks.cancel() }

  /// Has the tasks that wait end, also where an operation that is stuck holds the pool.
  package func close() { lanes.close() }
}

/// An operation on a task of a `TaskPool`.
package final class PooledOperation: Sendable {
  /// A structure around it: what generic code is handed, as that of a lock, would be wrapped on the heap.
  private struct Operation {
    let run: @Sendable (PooledOperation) async -> Void
  }

  private struct State {
    /// Until it begins: whoever can still cancel it keeps nothing of it.
    var operation: Operation?
    /// The task that it runs on.
    var task: PooledTask?
    var isCancelled = false
  }

  private let state: Mutex<State>

  fileprivate init(_ operation: @escaping @Sendable (PooledOperation) async -> Void) {
    state = Mutex(State(operation: Operation(run: operation)))
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
    await operation?.run(self)
    return state.withLock { state in
      state.task = nil
      return !state.isCancelled
    }
  }
}

/// A task of a pool.
private final class PooledTask: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  func begin(_ operation: @escaping @Sendable () async -> Void) {
    // Whoever runs at once and wants to cancel it waits until it is here.
    let wasCancelled = state.withLock { state in
      state.task = Task { await operation() }
      return state.isCancelled
    }
    if wasCancelled { cancel() }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}

/// The tasks of a pool that have not ended.
private final class PooledTasks: Sendable {
  private let all = Mutex<[PooledTask]>([])
  private let wereCancelled = Atomic(false)

  /// Whether all are cancelled, or are about to be.
  var areCancelled: Bool { wereCancelled.load(ordering: .acquiring) }

  func add(_ task: PooledTask) {
    all.withLock { $0.append(task) }
    if areCancelled { task.cancel() }
  }

  func remove(_ task: PooledTask) {
    all.withLock { $0.removeAll { $0 === task } }
  }

  func cancel() {
    wereCancelled.store(true, ordering: .releasing)
    for task in all.withLock({ $0 }) { task.cancel() }
  }
}
