internal import Dispatch
internal import Glibc
internal import Supporting
internal import Synchronization

/// One database file with its queues. A thread of its own uses the connection, so that no task blocks on the
/// disk. Only messages that are too long open a second one for a moment (`MessageTable+Shortening`).
package final class SQLiteStore: Sendable {
  /// A part of a transaction.
  private struct Job: Sendable {
    /// - Returns: what resumes the caller. Called once the transaction is durable.
    let run: @Sendable (inout MessageTable) throws(QueueError) -> @Sendable () -> Void
    let fail: @Sendable (QueueError) -> Void
  }

  private let table: Mutex<MessageTable>
  private let jobs = Coalescer<Job>(on: DispatchQueue(label: "push-enricher.sqlite"))

  /// Opens the file at `path`, and creates it where it is missing. Blocks on the disk.
  package init(path: String) throws(QueueError) { table = Mutex(try MessageTable(path: path)) }

  /// The database and the files that SQLite (sqlite.org/tempfiles.html) and `LeaseOwner` keep beside it, which have
  /// the same mode. They are beside the file that a link leads to.
  package static func files(of path: String) -> [String] {
    var status = stat()
    let isLink = unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    let path = isLink ? realPath(of: path) ?? path : path
    return ["", "-wal", "-shm", "-journal", "-lock"].map { path + $0 }
  }

  /// Runs `body` in a transaction, together with what else is waiting.
  /// - Throws: what any of these or the transaction throws: then none of them has happened.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (inout MessageTable) throws(QueueError) -> Value
  ) async throws(QueueError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, QueueError>, Never>) in
      let job = Job(
        run: { (table) throws(QueueError) in
          let value = try body(&table)
          return { continuation.resume(returning: .success(value)) }
        },
        fail: { continuation.resume(returning: .failure($0)) })
      jobs.submit(job) { self.commit($0) }
    }
    return try result.get()
  }

  private func commit(_ jobs: [Job]) {
    do throws(QueueError) {
      let completions = try table.withLock { (table) throws(QueueError) in
        try table.transaction { (table) throws(QueueError) in
          var completions: [@Sendable () -> Void] = []
          for job in jobs { completions.append(try job.run(&table)) }
          return completions
        }
      }
      for complete in completions { complete() }
    } catch {
      for job in jobs { job.fail(error) }
    }
  }
}
