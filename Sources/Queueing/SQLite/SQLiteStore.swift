internal import Dispatch
internal import Synchronization

/// One database file with its queues: one connection, used by one thread of its own, so that no task blocks on the disk.
///
/// What is asked for while a transaction is being made durable goes into the next one together: the disk is waited for once, and
/// 64 results take not much longer than one.
package final class SQLiteStore: Sendable {
  /// Something to be done in a transaction.
  private struct Job: Sendable {
    /// - Returns: what tells the caller, once all is durable.
    let run: @Sendable (inout MessageTable) throws(QueueError) -> @Sendable () -> Void
    let fail: @Sendable (QueueError) -> Void
  }

  private let table: Mutex<MessageTable>
  private let waiting = Mutex<[Job]>([])
  private let queue = DispatchQueue(label: "push-enricher.sqlite")

  /// Opens the file at `path`, and makes it where it is missing. Blocks on the disk.
  package init(path: String) throws(QueueError) { table = Mutex(try MessageTable(path: path)) }

  /// Runs `body` in a transaction, together with what else is waiting.
  /// - Throws: what `body` or the transaction throws: nothing of it has happened then, nor of the others.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (inout MessageTable) throws(QueueError) -> Value
  ) async throws(QueueError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, QueueError>, Never>) in
      submit(
        Job(
          run: { (table) throws(QueueError) in
            let value = try body(&table)
            return { continuation.resume(returning: .success(value)) }
          },
          fail: { continuation.resume(returning: .failure($0)) }))
    }
    return try result.get()
  }

  private func submit(_ job: Job) {
    let isFirst = waiting.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    if isFirst { queue.async { self.commit() } }
  }

  private func commit() {
    let jobs = waiting.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    do throws(QueueError) {
      let answers = try table.withLock { (table) throws(QueueError) in
        try table.transaction { (table) throws(QueueError) in
          var answers: [@Sendable () -> Void] = []
          for job in jobs { answers.append(try job.run(&table)) }
          return answers
        }
      }
      for answer in answers { answer() }
    } catch {
      for job in jobs { job.fail(error) }
    }
  }
}
