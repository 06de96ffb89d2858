internal import Dispatch
internal import Glibc
internal import Supporting
internal import Synchronization

/// A database file and its queues.
package typealias SQLiteStore = TableStore<MessageTable>

/// A database file. It has its own thread, so that no task blocks on the disk.
package final class TableStore<Table: SQLiteTable & ~Copyable>: Sendable {
  private struct Job: Sendable {
    /// Returns a closure that resumes the caller. Call it once the transaction is durable.
    let run: @Sendable (inout Table) throws(QueueError) -> @Sendable () -> Void
    let fail: @Sendable (QueueError) -> Void
  }

  private let table: Mutex<Table>
  private let jobs = Coalescer<Job>(on: DispatchQueue(label: "push-enricher.sqlite"))

  /// Opens or creates the file at `path`. Blocks on the disk.
  package init(path: String) throws(QueueError) { table = Mutex(try Table(path: path)) }

  /// The database, with links resolved, and the files beside it (sqlite.org/tempfiles.html).
  package static func files(of path: String) -> [String] {
    var status = stat()
    let isLink = unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    let path = isLink ? realPath(of: path) ?? path : path
    return ["", "-wal", "-shm", "-journal", "-lock"].map { path + $0 }
  }

  /// Runs `body` in a transaction, together with everything else that is waiting.
  /// - Throws: an error of any of them, or of the transaction. Then none of them has taken effect.
  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (inout Table) throws(QueueError) -> Value
  ) async throws(QueueError) -> Value {
    let result: Result<Value, QueueError> = await withCheckedContinuation { continuation in
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
          try jobs.map { (job) throws(QueueError) in try job.run(&table) }
        }
      }
      for complete in completions { complete() }
    } catch {
      for job in jobs { job.fail(error) }
    }
  }
}
