internal import Synchronization

/// Tasks that do one job after another. A task takes two kilobytes or more, with its frames: a new one for each
/// job would allocate them each time.
package final class Lanes<Job: Sendable>: Sendable {
  @safe private struct State {
    /// Tasks that wait.
    // Unchecked: each is resumed once because it is taken from here, under the lock, by the one who does so.
    var idle: [UnsafeContinuation<Job?, Never>]
    /// For tasks that are about to begin, in the order in which they came.
    var jobs: [Job] = []
    var isClosed = false

    init() { unsafe idle = [] }
  }

  private let maximum: Int
  private let state: Mutex<State>

  /// - Parameter maximum: how many tasks may wait for their next job. Each keeps the memory that its longest job
  ///   took.
  package init(keeping maximum: Int) {
    self.maximum = maximum
    state = Mutex(State())
  }

  /// Gives `job` to a task that waits for one.
  /// - Returns: false if there is none: then the caller begins another, which asks for the `next` job, be it this
  ///   one or not. (One that brought it along would keep it in memory for as long as it lives.)
  package func give(_ job: Job) -> Bool {
    let task = unsafe state.withLock { state in
      let task = unsafe state.idle.popLast()
      if unsafe task == nil { state.jobs.append(job) }
      return unsafe task
    }
    guard let task = unsafe task else { return false }
    unsafe task.resume(returning: job)
    return true
  }

  /// Waits for the next job, be the task cancelled or not.
  /// - Returns: nil when the task is to end.
  package func next() async -> Job? {
    if let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) { return job }
    return unsafe await withUnsafeContinuation { continuation in
      let waits = state.withLock { state in
        guard !state.isClosed, unsafe state.idle.count < maximum else { return false }
        unsafe state.idle.append(continuation)
        return true
      }
      if !waits { unsafe continuation.resume(returning: nil) }
    }
  }

  /// Has all tasks end once they have done what they are at.
  package func close() {
    let idle = unsafe state.withLock { state in
      state.isClosed = true
      defer { unsafe state.idle = [] }
      return unsafe state.idle
    }
    unsafe idle.forEach { unsafe $0.resume(returning: nil) }
  }
}
