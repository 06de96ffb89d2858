internal import Synchronization

/// Runs operations on tasks that are reused. Unlike with `Task { }`, there is no result to wait
/// for, and the priority and the task-local values come from the caller that began the task.
///
/// Memory is saved in odd ways here and elsewhere for this reason: each of the 64 or more payloads
/// in flight is a task that has the frames of its async functions on the heap while it waits. So
/// - tasks are reused: one takes 2 KB or more, a new one per payload costs 5 % of the throughput;
/// - what an async function calls between two waits is `@inline(never)`: inlined, its temporaries
///   would be in the frame, 3 to 4 KB a payload. So are async functions that few payloads need;
/// - frames hold references across waits, and a thrown error is one word, with its content on the
///   heap (`Failure`, `FetchError`): each step has room for several errors, and hardly any fails;
/// - what servers send is cut before it is kept (`Hop`), and URLs share their roots (`URLRoot`).
package final class TaskPool: Sendable {
  @safe private struct State {
    /// Tasks that wait for their next operation.
    // Unchecked: each is resumed once, by the code that takes it from here under the lock.
    var idle: [UnsafeContinuation<PooledOperation?, Never>]
    /// Operations for tasks that are about to begin, in order of arrival.
    var operations: [PooledOperation] = []
    var tasks: [PooledTask] = []
    var isClosed = false
    var areCancelled = false

    init() { unsafe idle = [] }
  }

  private let maximum: Int
  private let state = Mutex(State())

  /// - Parameter maximum: how many tasks may wait for an operation. Each keeps the memory of its largest one.
  package init(keeping maximum: Int) { self.maximum = maximum }

  var taskCount: Int { state.withLock { $0.tasks.count } }

  /// Begins `operation` with the value that this returns. The operation runs to its end even if that value
  /// is dropped.
  @discardableResult
  package func run(_ operation: @escaping @Sendable (PooledOperation) async -> Void) -> PooledOperation {
    let work = PooledOperation(operation)
    let idle = unsafe state.withLock { state in
      let idle = unsafe state.idle.popLast()
      if unsafe idle == nil { state.operations.append(work) }
      return unsafe idle
    }
    if let idle = unsafe idle { unsafe idle.resume(returning: work) } else { addTask() }
    return work
  }

  /// Cancels all operations that have not ended, and all that are begun from now on.
  package func cancelAll() {
    let tasks = state.withLock { state in
      state.areCancelled = true
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }

  /// Ends all tasks after their current operations. Until then, waiting tasks keep the pool alive.
  package func close() {
    let idle = unsafe state.withLock { state in
      state.isClosed = true
      defer { unsafe state.idle = [] }
      return unsafe state.idle
    }
    unsafe idle.forEach { unsafe $0.resume(returning: nil) }
  }

  private func addTask() {
    let task = PooledTask()
    state.withLock { $0.tasks.append(task) }
    task.begin { [self] in
      while let work = await next() {
        // `cancelAll` may not have reached this task yet, or the task was added afterwards.
        if state.withLock({ $0.areCancelled }) { task.cancel() }
        guard await work.run(on: task) else { break }
      }
      state.withLock { $0.tasks.removeAll { $0 === task } }
    }
  }

  /// Waits for the next operation, even if the task is cancelled. A new task asks as well, and may
  /// not get the operation that it was made for. If it captured that one, it would stay in memory.
  /// - Returns: nil if the task is to end.
  private func next() async -> PooledOperation? {
    let work = state.withLock { $0.operations.isEmpty ? nil : $0.operations.removeFirst() }
    if let work { return work }
    return unsafe await withUnsafeContinuation { continuation in
      let waits = state.withLock { state in
        guard !state.isClosed, unsafe state.idle.count < maximum else { return false }
        unsafe state.idle.append(continuation)
        return true
      }
      if !waits { unsafe continuation.resume(returning: nil) }
    }
  }
}

package final class PooledOperation: Sendable {
  /// A structure, because generic code such as a lock's would wrap a bare closure on the heap.
  private struct Operation {
    let run: @Sendable (PooledOperation) async -> Void
  }

  private struct State {
    /// Nil once it has begun, so that holding this value to cancel it does not keep the operation.
    var operation: Operation?
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
    // The task cannot have got another operation by now: it ends, because this one is cancelled.
    task?.cancel()
  }

  /// - Returns: whether `task` may run another operation.
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

/// A task of a pool. It may run, and be cancelled, before `begin` returns: `cancel` waits for that.
private final class PooledTask: Sendable {
  private let task = Mutex<Task<Void, Never>?>(nil)

  func begin(_ operation: @escaping @Sendable () async -> Void) {
    task.withLock { $0 = Task { await operation() } }
  }

  func cancel() { task.withLock { $0 }?.cancel() }
}
